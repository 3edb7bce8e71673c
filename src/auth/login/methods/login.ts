import {
  type AdmissionLimits,
  createAdmission,
  type LoginAdmission,
} from "#src/auth/login/admission.ts";
import { judgeAttempt, type Limit, purgeAttempts, readAttempts } from "#src/auth/login/attempts.ts";
import type { Browser } from "#src/auth/login/browser.ts";
import {
  endReplaced,
  hurry,
  listUnapproved,
  loadChallenge,
  type NewChallenge,
  purgeChallenges,
  type StoredChallenge,
  storeChallenge,
  unanswered,
} from "#src/auth/login/challenges.ts";
import { isLost, mayHaveAsked } from "#src/auth/login/may-have-asked.ts";
import { type LoginRefusal, loginTexts, refusalOf, waitingUntil } from "#src/auth/login/refusal.ts";
import {
  type ChallengeRequest,
  type ChallengeSubject,
  type PasskeyOffer,
  subjectHash,
} from "#src/bank/challenge.ts";
import type { BankCustomer } from "#src/bank/port.ts";
import { firstOf } from "#src/lib/plain-text.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import type { Sql } from "#src/storage/sql.ts";
import { askedLimit, factorLimit, isRenewable, type MethodDeps, type Verified } from "./method.ts";
import { isTakenByPage, methodOf } from "./methods.ts";

type LoginDeps = MethodDeps & {
  limits: AdmissionLimits;
  /** Whether a page may link to the bank's app at this URL; by default, only with `https`. */
  mayLinkTo?: (url: URL) => boolean;
  /** Whether nobody can use a login, in a sandbox; by default, none is locked. */
  isLocked?: (login: string) => boolean;
};

/** Who is asked to confirm what, and how many challenges there were for it before. */
export type Asked = Pick<NewChallenge, "customerId" | "subject" | "factsHash"> & {
  newCodes?: number;
  /** What the customer is shown, for the evidence; null if the caller keeps that. */
  showings?: StoredChallenge["showings"];
  /** The method of the challenge that the new one replaces: a code is followed by a code. */
  method?: StoredChallenge["method"];
  /** Set if no page waits for the answer, so that only the app can give it. */
  journey?: ChallengeRequest["journey"];
};

/** The result of asking for a new challenge. */
type Renewal = {
  renewed: NewChallenge | null;
  /** Null if the customer has approved meanwhile: the page goes on with the answer. */
  note: string | null;
  /** Set if there is no new challenge because no answer to one is checked before then. */
  lockedUntil?: Temporal.Instant | null;
};

/**
 * The one login of the bank, for the consent journey and for the bank's own pages: password, then
 * a challenge that confirms one subject. Every later confirmation uses the same two calls.
 *
 * With `later`, the statements that a right attempt needs are added to it, and the caller runs them
 * with its own next write. A code is still good for one act, because the act uses up its challenge.
 */
export type Login = {
  /** Checks the first factor. Throws Unavailable if there are too many logins. */
  checkPassword(
    browser: Browser,
    given: { login: string; password: string },
    later?: Sql[],
  ): Promise<BankCustomer | LoginRefusal>;
  /**
   * Takes the answers that the customer has given in the app, and returns the refusal if the
   * customer may not be asked now, by whatever method; otherwise null. Callers ask before they
   * begin. `isByTpp` is set for what a TPP begins without a browser.
   */
  whyNotAsk(customerId: string, isByTpp?: boolean): Promise<LoginRefusal | null>;
  /** Asks the customer to confirm a subject, with a challenge that the caller stores. */
  ask(asked: Asked): Promise<NewChallenge>;
  /** Like `ask`, but also stores the challenge. */
  challenge(asked: Asked): Promise<StoredChallenge>;
  /**
   * Why a code that cannot be entered any more is not replaced: there were too many of them, or of
   * wrong ones. Null if it is.
   */
  whyNotReplaced(challenge: StoredChallenge): Promise<LoginRefusal | null>;
  /**
   * Makes the challenge with which a page goes on whose own cannot be answered any more, and whose
   * method renews itself. Null if the page keeps its own. The caller stores the new challenge.
   */
  goOnWith(challenge: StoredChallenge): Promise<NewChallenge | null>;
  /**
   * Replaces a challenge that the customer can see, unless there were too many. `preferred` asks
   * for a code instead, if the core has offered that. The caller stores the new challenge, and
   * shows the note.
   */
  renew(challenge: StoredChallenge, preferred?: "code"): Promise<Renewal>;
  /** Judges the answer to a challenge, which was loaded for this request. */
  verify(challenge: StoredChallenge, answer: string, later?: Sql[]): Promise<Verified>;
  /** Deletes data that is no longer needed. */
  sweep(): Promise<void>;
};

// The number of consecutive wrong attempts before a wait. Source: SCA-RTS article 4(3)(b).
const allowed = 5;
// The number of wrong attempts from all unknown browsers together, from any address.
const allowedToStrangers = 50;

const notBound = "the core's passkey challenge does not end with the subject's hash";
const withoutResult = "the core makes decoupled challenges, but has no challengeResult";

/** Makes the login. */
export function createLogin(deps: LoginDeps): Login {
  const { database, clock } = deps;
  const admission = createAdmission(deps.limits, clock);
  const login: Login = {
    checkPassword: (browser, given, later) => checkPassword(deps, admission, browser, given, later),

    // the core has not chosen the method yet
    whyNotAsk: (customerId, isByTpp = false) =>
      whyNotAsk(deps, customerId, { inApp: true, isByTpp }),

    ask: (asked) => ask(deps, asked),

    async challenge(asked) {
      const challenge = await login.ask(asked);
      await storeChallenge(database, challenge);
      return unanswered(challenge);
    },

    async goOnWith(challenge) {
      const isKept = challenge.isOpen || !methodOf(challenge).renewsItself;
      if (isKept || (await login.whyNotReplaced(challenge))) return null;
      // a code that nobody has asked for was sent, too
      return login.ask({ ...challenge, newCodes: challenge.newCodes + 1 });
    },

    async whyNotReplaced(challenge) {
      if (!methodOf(challenge).renewsItself) return null;
      if (!isRenewable(challenge)) return { error: loginTexts.lastCodeOver, waitUntil: null };
      return whyNotAsk(deps, challenge.customerId, { inApp: false, isByTpp: false });
    },

    async renew({ customerId, newCodes, showings, ...challenge }, preferred) {
      const { subject, factsHash } = challenge;
      const { texts, renewsItself } = methodOf(challenge);
      const isInstead = preferred !== undefined && challenge.method !== preferred;
      const wantsCode = isInstead && offersCode(challenge);
      if (challenge.unspent && !renewsItself) return { renewed: null, note: null };
      if (!isRenewable({ newCodes })) return { renewed: null, note: texts.noMore };
      const { challengeId } = challenge;
      const inApp = !renewsItself && !wantsCode;
      const refusal = await whyNotAsk(deps, customerId, { inApp, isByTpp: false });
      if (refusal) {
        // too many requests in the app leave the latest of them open
        const lockedUntil = inApp ? null : refusal.waitUntil;
        return { renewed: null, note: refusal.error, lockedUntil };
      }
      const isEnded = await endReplaced(database, challengeId, clock.now());
      // the page replaces a code that has ended meanwhile
      if (!isEnded && renewsItself && !wantsCode) return { renewed: null, note: texts.sent };
      const found = isEnded ? null : await loadChallenge(database, challengeId, clock.now());
      if (found?.isVerified) return { renewed: null, note: null };
      const method = wantsCode ? "code" : challenge.method;
      const same = { customerId, subject, factsHash, showings };
      const asked = { ...same, newCodes: newCodes + 1, method };
      const renewed = await login.ask(asked);
      const note = wantsCode ? texts.codeInstead : methodOf(renewed).texts.sent;
      return { renewed, note };
    },

    async verify(challenge, answer, later) {
      const isJudged = challenge.isOpen || isTakenByPage(challenge);
      const verified = isJudged
        ? await methodOf(challenge).judge(deps, challenge, answer, later)
        : "over";
      if (verified !== "over") return verified;
      return (await login.whyNotReplaced(challenge)) ?? verified;
    },

    async sweep() {
      await purgeAttempts(database, clock.now());
      await purgeChallenges(database, clock.now());
    },
  };
  return login;
}

async function ask(deps: LoginDeps, asked: Asked): Promise<NewChallenge> {
  const { clock, bank } = deps;
  const { customerId, subject, factsHash, newCodes = 0, method, journey } = asked;
  const { showings = null } = asked;
  const request = {
    subjectHash: subjectHash(subject),
    ...(method === "code" ? { method } : {}),
    ...(journey ? { journey: { ...journey, expiresAt: coreTimeOf(deps, journey.expiresAt) } } : {}),
  };
  const isByTpp = journey !== undefined;
  const challenge = await bank.challenge(customerId, subject, request).catch(async (error) => {
    // a page asks one customer, who waits there; a method that is not known may send a code
    const isCounted = isByTpp ? mayHaveAsked(error) : method === "decoupled" && isLost(error);
    if (isCounted) await countAsked(deps, { customerId, isByTpp });
    throw error;
  });
  if ((challenge.method as string) === "redirect") {
    throw new Error('a challenge cannot have the method "redirect": set BANK_LOGIN_ISSUER');
  }
  if (challenge.method === "decoupled") {
    if (!bank.challengeResult) throw new Unavailable("core", withoutResult, {});
    await countAsked(deps, { customerId, isByTpp });
    refuseLink(deps, challenge.app?.appLink);
  }
  if (challenge.method === "passkey" && !isSignedWith(challenge.passkey, subject)) {
    throw new Unavailable("core", notBound, {});
  }
  const given = clock.now().add(challenge.expiresAt.since(deps.coreClock.now()));
  const isLonger = journey && Temporal.Instant.compare(given, journey.expiresAt) > 0;
  const expiresAt = isLonger ? journey.expiresAt : given;
  const known = { customerId, subject, factsHash, newCodes, isByTpp, showings };
  return { ...challenge, ...known, expiresAt };
}

/** A time of the bank's clock by the core's. */
function coreTimeOf({ clock, coreClock }: LoginDeps, at: Temporal.Instant): Temporal.Instant {
  return clock === coreClock ? at : coreClock.now().add(at.since(clock.now()));
}

/** Counts a request in the app: as wrong until the customer approves. */
const countAsked = (deps: LoginDeps, asked: Counted) =>
  judgeAttempt(deps, [askedLimit(asked)], async () => null);

/** Who is asked, and for whom. */
type Counted = Parameters<typeof askedLimit>[0];

/** Throws Unavailable if the link to the app can be read or changed on its way. */
function refuseLink({ mayLinkTo }: LoginDeps, link: string | undefined): void {
  if (link === undefined) return;
  const url = URL.parse(link);
  if (url !== null && (mayLinkTo?.(url) ?? url.protocol === "https:")) return;
  throw new Unavailable("core", `the core's link to its app is not https: ${link}`, {});
}

/** Whether the core has offered a code: nobody gets a weaker method by asking for it. */
const offersCode = ({ app, passkey }: Pick<StoredChallenge, "app" | "passkey">): boolean =>
  app?.hasCode === true || passkey?.hasCode === true;

const randomBytesAtLeast = 16;

/** Whether a passkey signs the hash of the subject, after enough that nobody can foresee. */
function isSignedWith(offer: PasskeyOffer | undefined, subject: ChallengeSubject): boolean {
  const signed = Buffer.from(offer?.request.challenge ?? "", "base64url");
  const hash = Buffer.from(subjectHash(subject), "base64url");
  const random = signed.length - hash.length;
  return random >= randomBytesAtLeast && signed.subarray(random).equals(hash);
}

/** `inApp` is false if the customer will be asked for a code or a passkey. */
async function whyNotAsk(
  deps: LoginDeps,
  customerId: string,
  { inApp, isByTpp }: { inApp: boolean; isByTpp: boolean },
): Promise<LoginRefusal | null> {
  const { database, clock, bank } = deps;
  const now = clock.now();
  const factor = factorLimit({ customerId });
  const own = askedLimit({ customerId, isByTpp: false });
  const byTpps = askedLimit({ customerId, isByTpp: true });
  const read = () => readAttempts(database, [factor, own, byTpps]);
  let stored = await read();
  // most customers have never been asked in the app, so the challenges need not be read
  if (bank.challengeResult && stored.some(({ subject }) => subject !== factor.subject)) {
    const unapproved = await listUnapproved(database, customerId, now);
    for (const challenge of unapproved.filter(({ isSettled }) => !isSettled)) {
      await hurry(database, challenge.challengeId);
      await methodOf(challenge).judge(deps, challenge, "", undefined);
    }
    stored = await read();
  }
  const limits = [factor, ...(inApp ? [own] : []), ...(isByTpp ? [byTpps] : [])];
  const until = stored
    .filter((each) => limits.some(({ subject }) => subject === each.subject))
    .map(({ lockedUntil }) => lockedUntil)
    .toSorted(Temporal.Instant.compare)
    .at(-1);
  const isLocked = until !== undefined && Temporal.Instant.compare(until, now) > 0;
  return isLocked ? waitingUntil(until, now) : null;
}

async function checkPassword(
  deps: LoginDeps,
  admission: LoginAdmission,
  browser: Browser,
  given: { login: string; password: string },
  later: Sql[] | undefined,
): Promise<BankCustomer | LoginRefusal> {
  const { address } = browser;
  if (admission.isExhausted(address)) {
    return waitingUntil(deps.clock.now().add({ minutes: 1 }), deps.clock.now());
  }
  const login = firstOf(given.login.trim(), 100);
  const now = deps.clock.now();
  if (deps.isLocked?.(login)) return waitingUntil(now.add({ hours: 24 }), now);
  const judge = () => deps.bank.authenticate(login, given.password);
  const judged = await admission.run(address, () =>
    judgeAttempt(deps, limitsOf(browser, login), judge, { later }),
  );
  if (judged.state === "right") return judged.value;
  if (judged.state === "wrong") admission.countFailure(address);
  return refusalOf(judged, loginTexts.password, deps.clock.now());
}

/**
 * A browser that the customer has logged in with before has attempts that nobody else can use up.
 * All other browsers have a limit per address and a limit for all of them together. To lock out a
 * customer's unknown browsers, strangers need new addresses all the time.
 */
function limitsOf(browser: Browser, login: string): Limit[] {
  const device = browser.deviceOf(login);
  if (device !== null) return [{ subject: `device:${device}`, allowed }];
  const name = browser.countedAs(login);
  return [
    { subject: `login:${name} from ${browser.address}`, allowed },
    { subject: `login:${name}`, allowed: allowedToStrangers },
  ];
}
