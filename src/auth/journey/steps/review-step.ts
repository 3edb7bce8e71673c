import { evidenceOf, subjectOf } from "#src/auth/journey/consent-subject.ts";
import { accountLabel, accountNumber } from "#src/auth/journey/eligible-accounts.ts";
import { journeyAt } from "#src/auth/journey/journey-row.ts";
import type { JourneyStep } from "#src/auth/journey/journey-step.ts";
import type { Place } from "#src/auth/journey/load-journey.ts";
import { spending } from "#src/auth/login/challenges.ts";
import type { BankAccount } from "#src/bank/port.ts";
import type { Authorisation } from "#src/consents/consent.ts";
import { isAuthorisable } from "#src/consents/journey-consent.ts";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import type { ConsentSummary } from "#src/pages/consent-summary.ts";
import { reviewPage } from "#src/pages/journey.ts";

/** Shows what will happen, and asks for the decision. */
export const reviewStep: JourneyStep<Record<string, never>> = {
  name: "review",
  // Source: SCA-RTS article 4(3)(d), for the time after authentication
  minutes: 5,
  fields: {},
  go: "approve",

  async show(_tools, place, { given: _, error: __, ...frame }) {
    const chosen = chosenAccounts(place);
    const accounts = chosen.map((account) => ({
      label: accountLabel(account),
      number: accountNumber(account),
    }));
    return reviewPage({ ...frame, summary: await summaryOf(place, chosen[0]), accounts });
  },

  async take(_call, place) {
    const { row, consent, kind, now } = place;
    const customerId = present(row.customerId, "the customer");
    const challengeId = present(row.challengeId, "the challenge");
    if (!isAuthorisable(consent, kind.course, customerId)) return { ends: "overtaken" };
    const subject = subjectOf(place);
    const grantId = newId("grant");
    const [account] = chosenAccounts(place);
    const paysFrom = () => present(account, "the account that the customer chose");
    const authorisation: Authorisation = {
      consentId: consent.consentId,
      course: kind.course,
      customerId,
      accountIds: row.accountIds,
      debtor: kind.accountChoice === "one" ? paysFrom() : null,
      grantId,
      evidence: evidenceOf(challengeId, subject),
      now,
      loaded: consent,
      // the customer authorises exactly what the code confirmed, and only once
      confirmation: spending({ challengeId, customerId, subject, now, provided: journeyAt(row) }),
    };
    return { ends: "approved", authorisation };
  },
};

const chosenAccounts = ({ row }: Place): BankAccount[] =>
  (row.accounts ?? [])
    .map(({ account }) => account)
    .filter(({ accountId }) => row.accountIds.includes(accountId));

/** The summary of the consent, with what the account that was chosen adds to it. */
async function summaryOf(
  { consent, kind, now }: Place,
  account: BankAccount | undefined,
): Promise<ConsentSummary> {
  const summary = kind.summarise(consent, now);
  if (summary.type !== "payment" || !account || !kind.moreFor) return summary;
  const { rows, notes } = await kind.moreFor(consent, account, now);
  return { ...summary, rows: [...summary.rows, ...rows], notes: [...notes, ...summary.notes] };
}
