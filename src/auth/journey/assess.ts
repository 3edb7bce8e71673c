import type { Bank } from "#src/bank/port.ts";
import { registeredTpp } from "#src/clients/client-name.ts";
import { type StatusReason, statusReason } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import type { ReasonCode } from "#src/standard/shared/error-codes.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { Place } from "./load-journey.ts";

type OrderingTpp = Parameters<NonNullable<Bank["assess"]>>[0]["tpp"];

/** Why the core refuses a consent: the reason for the TPP, and the text for the customer. */
type Refusal = { cause: StatusReason; refusal: string };

/**
 * Asks the core whether the customer may authorise the consent; null if so, or if the core is not
 * asked. Throws Unavailable.
 */
export async function findRefusal(
  { bank, database }: { bank: Pick<Bank, "assess">; database: Queryable },
  { row, consent }: Place,
): Promise<Refusal | null> {
  if (!bank.assess) return null;
  const { consentId, kind, apiVersion, body } = consent;
  const tpp = await first<OrderingTpp>(database, registeredTpp(sql`${row.clientId}`));
  const answer = await bank.assess({
    consentId,
    kind,
    customerId: present(row.customerId, "the customer"),
    accountIds: row.accountIds,
    isRenewal: consent.authenticatedAt !== null,
    tpp: present(tpp, "the TPP of a consent"),
    sent: { apiVersion, consent: body },
    payeeCheck: row.payeeCheck,
  });
  if (answer.result === "allow") return null;
  const { code, text } = answer.reason;
  // safe: the schema of the answer admits only published codes
  return { cause: statusReason(code as ReasonCode, text), refusal: answer.customerText };
}
