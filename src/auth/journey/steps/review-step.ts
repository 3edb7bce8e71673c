import { subjectOf } from "#src/auth/journey/consent-subject.ts";
import {
  namedAccounts,
  openOf,
  readNotOpen,
  withoutClosed,
} from "#src/auth/journey/eligible-accounts.ts";
import type { JourneyStep } from "#src/auth/journey/journey-step.ts";
import {
  chosenAccounts,
  isPausedBy,
  isRenewal,
  type Place,
} from "#src/auth/journey/load-journey.ts";
import { payeeWarningOf } from "#src/auth/journey/payee-warning.ts";
import { contentAt } from "#src/auth/journey/showings.ts";
import type { BankAccount } from "#src/bank/port.ts";
import { type ConsentSummary, withRows } from "#src/pages/consent-summary.ts";
import { reviewPage } from "#src/pages/journey.ts";

/** What the customer checks in the review, whether on its page or in the bank's app. */
export async function reviewOf(place: Place) {
  return { ...(await wholeOf(place)), warning: payeeWarningOf(place) };
}

/** The whole consent with the accounts that were chosen. */
export async function wholeOf(place: Place) {
  const chosen = chosenAccounts(place);
  return {
    clientName: place.clientName,
    subject: subjectOf(place),
    summary: await summaryOf(place, chosen[0]),
    accounts: namedAccounts(chosen),
    isPaused: isPausedBy(place),
  };
}

/**
 * Shows what the account adds to the consent, and asks for the decision. Skipped after an approval
 * on an earlier page. Source: customer experience guidelines, Payment Initiation Services.
 */
export const reviewStep: JourneyStep<Record<string, never>> = {
  name: "review",
  // Source: SCA-RTS article 4(3)(d): the time after authentication
  minutes: 5,
  fields: {},
  reads: readNotOpen,
  showsConsent: () => true,

  begin: async () => ({ facts: {}, read: {} }),

  addsNothing(place) {
    const { row, consent, kind } = place;
    // an earlier approval is shown only to the customer who gave it, once they have logged in
    if (consent.customerId !== null && row.customerId === null) return false;
    // only the review shows accounts that were chosen before; a mere refresh does not need them
    const isHidden = consent.customerId !== null && kind.namedDebtor(consent) === null;
    if (isHidden && !isRenewal(place)) return false;
    const isNeeded = (account: BankAccount | null) =>
      kind.review?.isNeeded(consent, account) ?? false;
    if (row.payeeCheck && row.payeeCheck.result !== "match") return false;
    if (!row.accounts) return !isNeeded(null);
    return !openOf(row.accounts).some(({ account }) => isNeeded(account));
  },

  shows: reviewOf,

  async show(_tools, place, { given: _, error: __, ...frame }) {
    const { subject: ___, ...content } = await contentAt(place, reviewStep.name, () =>
      reviewOf(place),
    );
    return reviewPage({ ...frame, ...content, isRenewal: isRenewal(place) });
  },

  async take(_call, { row, kind, read }) {
    const open = openOf(withoutClosed(row.accounts ?? [], read));
    const isOpen = open.some(({ account }) => row.accountIds.includes(account.accountId));
    return kind.accountChoice === "many" || isOpen ? { done: {} } : { ends: "not_usable" };
  },
};

/** The summary of the consent, with what the account that was chosen adds to it. */
async function summaryOf(
  { row: { customerId }, consent, kind, now }: Place,
  account: BankAccount | undefined,
): Promise<ConsentSummary> {
  const summary = kind.summarise(consent, now, account);
  if (summary.type !== "payment" || !account || !kind.review?.more) return summary;
  const { rows, notes } = await kind.review.more(consent, account, { customerId, now });
  return { ...summary, rows: withRows(summary.rows, rows), notes: [...notes, ...summary.notes] };
}
