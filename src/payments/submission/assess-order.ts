import type { AssessedOrder } from "#src/bank/assessment.ts";
import type { OrderingTpp, PaymentApproval } from "#src/bank/payment-context.ts";
import type { Bank } from "#src/bank/port.ts";
import { registeredTpp } from "#src/clients/client-name.ts";
import { approvalBefore } from "#src/consents/consent-facts.ts";
import { assessedFile } from "#src/consents/terms.ts";
import { present } from "#src/lib/assert.ts";
import { hasCome } from "#src/payments/calendar/timing.ts";
import type { DraftedOrder } from "#src/payments/definitions/payment-kind.ts";
import type { OrderDecision } from "#src/payments/shapes/draft-order.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

type Deps = { bank: Pick<Bank, "assessOrder" | "readsContext">; database: Queryable };

/**
 * Asks the core about an order, which is not stored yet; undefined if the core accepts it. An order
 * that the bank itself rejects is not asked about. Throws Unavailable: nothing has been done then,
 * and the same request can be sent again.
 */
export async function assessOrder(
  { bank, database }: Deps,
  { order, consent }: DraftedOrder,
): Promise<OrderDecision | undefined> {
  if (order.status === "RJCT") return undefined;
  const { orderId, consentId, kind, customerId, debtorAccountId, createdAt, terms } = order;
  const { apiVersion, body } = consent;
  const answer = await bank.assessOrder?.({
    orderId,
    consentId,
    kind,
    customerId,
    debtorAccountId,
    sent: {
      apiVersion,
      consent: body,
      order: terms.sent ?? null,
      devices: { consent: consent.terms.device ?? null, order: terms.device ?? null },
    },
    use: terms.use ?? null,
    file: assessedFile(consent.terms),
    ...(bank.readsContext ? { context: await loadContext(database, order) } : {}),
  });
  switch (answer?.result) {
    case "refuse":
      return { reason: answer.reason, notBefore: null };
    case "later":
      return hasCome(answer.until, createdAt)
        ? undefined
        : { reason: answer.reason, notBefore: answer.until };
  }
  return undefined;
}

/** Loads the TPP of an order, and who approved its consent and how. */
async function loadContext(
  on: Queryable,
  { clientId, consentId, createdAt }: DraftedOrder["order"],
): Promise<NonNullable<AssessedOrder["context"]>> {
  const row = present(
    await first<Approved & OrderingTpp>(
      on,
      sql`select a.*, t.* from (${registeredTpp(sql`${clientId}`)}) t
        cross join lateral (${approvalBefore(sql`${consentId}`, sql`${createdAt}`)}) a`,
    ),
    "the approval of an authorised consent",
  );
  const { customerId, at, acr, amr, ...tpp } = row;
  return { tpp, approvedBy: [{ customerId, authentication: { at, acr, amr } }] };
}

type Approved = NonNullable<PaymentApproval["authentication"]> &
  Pick<PaymentApproval, "customerId">;
