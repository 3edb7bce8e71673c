import { actOf, endOf, subjectOf } from "#src/auth/journey/consent-subject.ts";
import { areAccountsKnown, namedCandidates } from "#src/auth/journey/eligible-accounts.ts";
import { replaceChallenge } from "#src/auth/journey/journey-row.ts";
import type { JourneyStep, JourneyTools, Taken } from "#src/auth/journey/journey-step.ts";
import { isPausedBy, isRenewal, type Place } from "#src/auth/journey/load-journey.ts";
import { pageEnd } from "#src/auth/journey/page-time.ts";
import { payeeWarningOf } from "#src/auth/journey/payee-warning.ts";
import { contentAt } from "#src/auth/journey/showings.ts";
import { forgetting } from "#src/auth/login/attempts.ts";
import {
  type Authentication,
  afterLogin,
  isStrong,
  isTooWeak,
} from "#src/auth/login/authentication.ts";
import { challengeJson, type StoredChallenge, unanswered } from "#src/auth/login/challenges.ts";
import { confirmingRows } from "#src/auth/login/confirming.ts";
import type { Asked } from "#src/auth/login/methods/login.ts";
import { type Declined, failedLimit } from "#src/auth/login/methods/method.ts";
import { isTakenByPage, methodOf, pageLockEnd } from "#src/auth/login/methods/methods.ts";
import { isRefusal, lockedTexts, loginTexts } from "#src/auth/login/refusal.ts";
import { subjectsOf } from "#src/auth/provider/interaction-store.ts";
import type { PayeeCheck } from "#src/bank/assessment.ts";
import type { Bank } from "#src/bank/port.ts";
import { isSameAct } from "#src/consents/approved-facts.ts";
import { present } from "#src/lib/assert.ts";
import { approvingFactorPage } from "#src/pages/journey.ts";
import { codeNext, factorPage } from "#src/pages/login.ts";
import { sql } from "#src/storage/sql.ts";

/** The second factor, which confirms this consent and nothing else. */
export const factorStep: JourneyStep<{ code: "one"; challenge: "one" }> = {
  name: "factor",
  minutes: 15,
  reads: (now) => challengeJson(sql`j.challenge_id`, now),
  fields: { code: "one", challenge: "one" },
  // a code works once: the second of two equal forms would be refused
  isTakenInTurn: true,
  // If the accounts are known, only the code is missing. Source: customer experience guidelines,
  // Payment Initiation Services
  showsConsent: (place) => areKnownToCustomer(place),

  async begin({ login, bank }, place) {
    const { isBackchannel } = place.row;
    const refusal = await login.whyNotAsk(customerOf(place), isBackchannel);
    if (refusal) return { ends: "too_many_codes", why: { lockedUntil: refusal.waitUntil } };
    // first, because the customer must not be asked if this call fails
    const accounts = await namedCandidates(bank, place, customerOf(place));
    const checking = checkPayee(bank, place);
    // without a browser, the app shows the warning with the request: no page does so later
    const known = isBackchannel ? { ...place.row, payeeCheck: await checking } : place.row;
    const asking = login.ask(askedOf({ ...place, row: known }));
    const [challenge, payeeCheck] = await Promise.all([asking, checking]);
    const read = unanswered(challenge);
    const { challengeId } = challenge;
    const facts = { challengeId, ...(payeeCheck && { payeeCheck }), ...(accounts && { accounts }) };
    return { facts, challenge, read };
  },

  shows(place, go) {
    const isWhole = go === "approve" && !place.row.isBackchannel;
    return isWhole ? wholeOf(place) : askedIn(place);
  },

  waits: (place) => isTakenByPage(challengeOf(place)),

  async show(tools, place, { given: _, go, ...shown }) {
    const challenge = await openChallenge(tools, place);
    const error = shown.error ?? lockedError(challenge, place);
    const frame = { ...shown, error, challenge: challenge.challengeId };
    const asked = await methodOf(challenge).asks(challenge, askingOf(tools, place));
    const customerName = present(place.row.customerName, "the customer's name");
    if (go === "approve") {
      const content = await contentAt(place, factorStep.name, () => wholeOf(place));
      const { subject: __, ...consented } = content;
      return approvingFactorPage({ ...frame, ...consented, customerName, asked });
    }
    const { consent, kind, now } = place;
    const summary = kind.summarise(consent, now);
    const notBefore = summary.type === "payment" ? summary.notBefore : undefined;
    const next = codeNext(kind.noun, areKnownToCustomer(place), notBefore);
    const confirming = confirmingRows(challenge.subject);
    return factorPage({ ...frame, customerName, asked, confirming, next });
  },

  async again(decision, { database, login }, place, given) {
    if (decision !== "renew" && decision !== "code") return null;
    const challenge = challengeOf(place);
    const none = { ...given, code: "" };
    if (isOfAnother(challenge, given)) return { given: none, note: methodOf(challenge).texts.sent };
    const wanted = decision === "code" ? decision : undefined;
    const { renewed, note } = await login.renew(challenge, wanted);
    if (note === null) return null;
    if (renewed) await replaceChallenge(database, place.row, renewed);
    return { given: renewed ? none : given, note };
  },

  async take({ login, later, log }, place, { code, ...form }) {
    const challenge = challengeOf(place);
    if (isOfAnother(challenge, form)) return overOf(challenge);
    const verified = await login.verify(challenge, code, later);
    if (verified === "over") return overOf(challenge);
    if (verified === "waiting") return { waits: null };
    if (verified === "unreachable") return { waits: loginTexts.unreachable };
    if (typeof verified === "object" && "declined" in verified) {
      return endingOf(verified.declined);
    }
    if (verified === "altered") return { ends: "altered" };
    if (isRefusal(verified)) {
      const isAttempt = verified.wrong !== undefined || verified.waitUntil !== null;
      return { refused: verified, ...(isAttempt ? { failsAs: "too_many_codes" } : {}) };
    }
    const authenticated = present(place.row.customerLogin, "the login");
    const { isBackchannel, loginAmr, authentication: earlier } = place.row;
    // without a browser, nobody has logged in: the app has both factors
    const before = earlier?.amr ?? (isBackchannel ? [] : loginAmr);
    const authentication = afterLogin(before, verified.verified);
    const { amr } = authentication;
    if (isBackchannel ? !isStrong(amr) : isTooWeak(loginAmr, amr)) {
      log.warn({ amr }, "an approval does not have two factors");
      return { ends: "too_weak" };
    }
    if (isBackchannel) {
      const { clientId } = place.row;
      later.push(forgetting([failedLimit({ clientId, customerId: customerOf(place) })]));
    }
    const judged: Taken = isSameAct(challenge, actOf(place))
      ? judgeCustomer(place, customerOf(place), authentication)
      : { ends: "altered" };
    return { ...judged, authenticated };
  },
};

/** Whether the accounts are known. Who has chosen them before is no other customer's business. */
function areKnownToCustomer({ row, consent, kind }: Place): boolean {
  const customerId = consent.customerId === row.customerId ? row.customerId : null;
  return areAccountsKnown(kind, { ...consent, customerId });
}

/** What a page that asks for a second factor needs besides the challenge. */
export const askingOf = ({ sandboxHints: hints }: JourneyTools, { now }: Place) => ({ now, hints });

/** What a page says whose answer would not be checked; null if it would. */
export function lockedError(challenge: StoredChallenge, { now }: Place): string | null {
  const end = pageLockEnd(challenge);
  return end && lockedTexts(end, now).text;
}

/** Whether a form belongs to a challenge that another window has replaced since. */
const isOfAnother = ({ challengeId }: StoredChallenge, form: { challenge: string }): boolean =>
  form.challenge !== "" && form.challenge !== challengeId;

/** The whole consent, for the page on which the code approves it. */
function wholeOf(place: Place) {
  const { consent, kind, now, clientName } = place;
  const debtor = kind.namedDebtor(consent);
  const summary = kind.summarise(consent, now);
  // the summary of checks has the number that the TPP gave
  const isNamed = debtor !== null && summary.type === "payment";
  const accounts = isNamed ? [{ label: "Account", number: endOf(debtor) }] : [];
  const renews = isRenewal(place) ? consent.accountIds.length : null;
  return {
    clientName,
    subject: subjectOf(place),
    summary,
    accounts,
    renews,
    isPaused: isPausedBy(place),
  };
}

/** What the code confirms, or the app, which shows the TPP's message and a warning, too. */
function askedIn(place: Place): object {
  const { subject, journey } = askedOf(place);
  const { journeyId: _, expiresAt: __, ...more } = journey ?? {};
  return Object.keys(more).length === 0 ? subject : { subject, ...more };
}

/** Who is asked to confirm what. If no page waits, the app learns which journey it goes on with. */
function askedOf(place: Place): Asked {
  const asked = { customerId: customerOf(place), ...actOf(place) };
  const { uid, isBackchannel, interaction } = place.row;
  if (!isBackchannel) return asked;
  const { binding_message: message } = interaction?.().params ?? {};
  const bindingMessage = typeof message === "string" ? { bindingMessage: message } : {};
  // at this step, the time of the journey is that of the TPP's request
  const expiresAt = pageEnd(place);
  const warning = payeeWarningOf(place);
  const shown = { ...bindingMessage, ...(warning && { warning }) };
  return { ...asked, journey: { journeyId: uid, expiresAt, ...shown } };
}

/** How the journey of a customer who has declined in the app ends. */
function endingOf(declined: Declined | null): Taken {
  if (declined === null) return { ends: "cancelled" };
  const { error: refusal, waitUntil: lockedUntil } = declined;
  if (lockedUntil === null) return { ends: "cancelled", why: { refusal } };
  return { ends: "too_many_codes", why: { refusal, lockedUntil } };
}

/** What a page says whose challenge cannot be answered any more. */
const overOf = (challenge: StoredChallenge): Taken =>
  methodOf(challenge).renewsItself
    ? { refused: { error: methodOf(challenge).texts.over } }
    : { waits: null };

/** Asks about the payee's name, once: before the customer approves the consent. */
export async function checkPayee(
  bank: Pick<Bank, "confirmPayee">,
  { consent, kind }: Place,
): Promise<PayeeCheck | null> {
  const payee = consent.customerId === null ? (kind.payeeToCheck?.(consent) ?? null) : null;
  if (!payee?.name || !bank.confirmPayee) return null;
  return bank.confirmPayee(payee).catch((): PayeeCheck => ({ result: "unavailable" }));
}

/** Whether the customer who has confirmed the consent may decide on it. */
export function judgeCustomer(
  { consent, row }: Place,
  customerId: string,
  authentication: Authentication,
): Taken {
  if (consent.customerId !== null && consent.customerId !== customerId) {
    return { ends: "other_customer" };
  }
  const insisted = row.interaction ? subjectsOf(row.interaction()) : [];
  if (insisted.some((wanted) => wanted !== customerId)) return { ends: "not_expected" };
  return { done: { authentication }, at: Temporal.Instant.from(authentication.at) };
}

/** The journey's challenge; a new one if that is over, and its method renews itself. */
export async function openChallenge({ database, login }: JourneyTools, place: Place) {
  const challenge = challengeOf(place);
  const renewed = await login.goOnWith(challenge);
  if (!renewed) return challenge;
  await replaceChallenge(database, place.row, renewed);
  return unanswered(renewed);
}

// a query of one challenge as JSON
const challengeOf = ({ read }: Place): StoredChallenge =>
  present(read as StoredChallenge | null, "the challenge");

const customerOf = ({ row }: Place): string => present(row.customerId, "the customer");
