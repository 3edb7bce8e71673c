import { subjectOf } from "#src/auth/journey/consent-subject.ts";
import { areAccountsKnown } from "#src/auth/journey/eligible-accounts.ts";
import { replaceChallenge } from "#src/auth/journey/journey-row.ts";
import type { JourneyStep, JourneyTools, Taken } from "#src/auth/journey/journey-step.ts";
import type { Place } from "#src/auth/journey/load-journey.ts";
import { challengeJson, type StoredChallenge, unanswered } from "#src/auth/login/challenges.ts";
import { confirmingRows } from "#src/auth/login/confirming.ts";
import { isRefusal, loginTexts } from "#src/auth/login/login.ts";
import { subjectsOf } from "#src/auth/provider/interaction-store.ts";
import type { PayeeCheck } from "#src/bank/assessment.ts";
import { subjectHash } from "#src/bank/challenge.ts";
import type { AccountReference, Bank } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import { approvingFactorPage } from "#src/pages/journey.ts";
import type { NamedAccount } from "#src/pages/journey-parts.ts";
import { codeNext, factorPage } from "#src/pages/login.ts";
import { sql } from "#src/storage/sql.ts";

/** The second factor, which confirms this consent and nothing else. */
export const factorStep: JourneyStep<{ code: "one" }> = {
  name: "factor",
  minutes: 15,
  reads: (now) => challengeJson(sql`j.challenge_id`, now),
  fields: { code: "one" },
  // a code works once: the second of two equal forms would be refused
  isTakenInTurn: true,
  // If the accounts are known, only the code is missing. Only the customer of an authorised consent
  // sees it here. Source: customer experience guidelines, Payment Initiation Services
  showsConsent: ({ row, consent, kind }) =>
    areAccountsKnown(kind, consent) &&
    (consent.customerId === null || consent.customerId === row.customerId),

  async begin({ login, bank }, place) {
    const asked = { customerId: customerOf(place), subject: subjectOf(place) };
    const [challenge, payeeCheck] = await Promise.all([login.ask(asked), checkPayee(bank, place)]);
    const read = unanswered(challenge);
    const { challengeId } = challenge;
    return { facts: { challengeId, ...(payeeCheck ? { payeeCheck } : {}) }, challenge, read };
  },

  async show(tools, place, { given: _, go, ...frame }) {
    const { challengeId, subject, sentTo } = await openChallenge(tools, place);
    const code = { sentTo, canRenew: true };
    const sandboxCode = (await tools.sandboxHints?.codeOf(challengeId)) ?? null;
    const customerName = present(place.row.customerName, "the customer's name");
    if (go === "approve") {
      const { consent, kind, now } = place;
      const debtor = kind.namedDebtor(consent);
      const accounts = debtor ? [maskedAccount(debtor)] : [];
      const summary = kind.summarise(consent, now);
      const renews = consent.status === "AUTH" ? consent.accountIds.length : null;
      const shown = { ...frame, ...code, customerName, sandboxCode, summary, accounts, renews };
      return approvingFactorPage(shown);
    }
    const next = codeNext(place.kind.noun, areAccountsKnown(place.kind, place.consent));
    const confirming = confirmingRows(subject);
    return factorPage({ ...frame, ...code, customerName, sandboxCode, confirming, next });
  },

  async again(decision, { database, login }, place, given) {
    if (decision !== "renew") return null;
    const { renewed, note } = await login.renew(challengeOf(place));
    if (renewed) await replaceChallenge(database, place.row, renewed);
    return { given: renewed ? { code: "" } : given, note };
  },

  async take({ login, later }, place, { code }) {
    const challenge = challengeOf(place);
    const verified = await login.verify(challenge, code, later);
    if (verified === "over") return { refused: { error: loginTexts.newCode } };
    if (isRefusal(verified)) return { refused: verified, failsAs: "too_many_codes" };
    const authenticated = present(place.row.customerLogin, "the login");
    return { ...judgeCustomer(place, challenge), authenticated };
  },
};

/** Asks about the payee's name, once: before the customer approves the consent. */
async function checkPayee(
  bank: Pick<Bank, "confirmPayee">,
  { consent, kind }: Place,
): Promise<PayeeCheck | null> {
  const payee = consent.customerId === null ? (kind.payeeToCheck?.(consent) ?? null) : null;
  if (!payee?.name || !bank.confirmPayee) return null;
  return bank.confirmPayee(payee).catch((): PayeeCheck => ({ result: "unavailable" }));
}

/**
 * The end of the debtor account's number. Before the code, the bank shows no more of it, and not
 * the name that the TPP chose: the customer could take that for the bank's. Whether it is the
 * customer's account is judged after the code.
 */
const maskedAccount = ({ identification }: AccountReference): NamedAccount => ({
  label: "Account",
  number: `ending ${identification.slice(-4)}`,
});

/** Whether the customer who has answered the challenge may decide on the consent. */
function judgeCustomer(place: Place, challenge: StoredChallenge): Taken {
  const { consent, row } = place;
  const customerId = customerOf(place);
  if (challenge.subjectHash !== subjectHash(subjectOf(place))) return { ends: "altered" };
  if (consent.customerId !== null && consent.customerId !== customerId) {
    return { ends: "other_customer" };
  }
  const insisted = row.interaction ? subjectsOf(row.interaction()) : [];
  if (insisted.some((wanted) => wanted !== customerId)) return { ends: "not_expected" };
  return { done: {} };
}

/** The journey's challenge; a new one if that does not accept codes any more. */
export async function openChallenge({ database, login }: JourneyTools, place: Place) {
  const challenge = challengeOf(place);
  if (challenge.isOpen) return challenge;
  const renewed = await login.ask(challenge);
  await replaceChallenge(database, place.row, renewed);
  return unanswered(renewed);
}

// a query of one challenge as JSON
const challengeOf = ({ read }: Place): StoredChallenge =>
  present(read as StoredChallenge | null, "the challenge");

const customerOf = ({ row }: Place): string => present(row.customerId, "the customer");
