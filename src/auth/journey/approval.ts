import type { Authentication } from "#src/auth/login/authentication.ts";
import { spending } from "#src/auth/login/challenges.ts";
import type { InteractionResult } from "#src/auth/provider/interaction-store.ts";
import { namesOfOthers } from "#src/bank/other-signatories.ts";
import type { Bank } from "#src/bank/port.ts";
import type { Authorisation } from "#src/consents/consent.ts";
import { isAuthorisable } from "#src/consents/journey-consent.ts";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import { actOf } from "./consent-subject.ts";
import { journeyAt } from "./journey-row.ts";
import { chosenAccounts, type Place } from "./load-journey.ts";

/**
 * Builds the authorisation of a journey's consent, with a new grant. Null if this customer can no
 * longer authorise the consent.
 */
export function authorisationOf(place: Place): Authorisation | null {
  const { row, consent, kind, now } = place;
  const customerId = present(row.customerId, "the customer");
  const challengeId = present(row.challengeId, "the challenge");
  const { acr, amr, method, at } = authenticationOf(place);
  const answeredAt = Temporal.Instant.from(at);
  if (!isAuthorisable(consent, kind.course, customerId)) return null;
  const act = actOf(place);
  const [account] = chosenAccounts(place);
  const paysFrom = () => present(account, "the account that the customer chose");
  return {
    consentId: consent.consentId,
    course: kind.course,
    customerId,
    accountIds: row.accountIds,
    debtor: kind.accountChoice === "one" ? paysFrom() : null,
    grantId: newId("grant"),
    evidence: { acr, amr, method, answeredAt, showings: row.showings },
    now,
    loaded: consent,
    // the customer authorises exactly what the code confirmed, and only once
    confirmation: spending({ challengeId, customerId, act, now, provided: journeyAt(row) }),
  };
}

const authenticationOf = ({ row }: Place): Authentication =>
  present(row.authentication, "the customer's authentication");

/** The answer to the authorization server after an approval, with what the TPP learns of it. */
export function approvalResult(place: Place, grantId: string): InteractionResult {
  const accountId = present(place.row.customerId, "the customer");
  const { acr, amr, at } = authenticationOf(place);
  return { login: { accountId, acr, amr, at, remember: false }, consent: { grantId } };
}

/** How many others must approve an approved payment; only payments need several people. */
export const othersRequired = ({ kind, consent: { debtor } }: Place): number =>
  kind.scope === "payments" ? Math.max((debtor?.signatoriesRequired ?? 1) - 1, 0) : 0;

/** Names the others who may approve too, if the account needs several. */
export async function otherSignatories(
  bank: Pick<Bank, "listSignatories">,
  place: Place,
): Promise<string[]> {
  const { row, consent } = place;
  if (row.outcome !== "approved" || othersRequired(place) === 0) return [];
  const accountId = present(consent.debtor, "the account that several sign for").accountId;
  return namesOfOthers(bank, accountId, row.customerId);
}
