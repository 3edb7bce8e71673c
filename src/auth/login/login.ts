import type { Bank, BankCustomer } from "#src/bank/port.ts";
import type { Clock } from "#src/lib/clock.ts";
import { momentText } from "#src/pages/wording.ts";
import type { Database } from "#src/storage/database.ts";
import type { Sql } from "#src/storage/sql.ts";
import { type AdmissionLimits, createAdmission, type LoginAdmission } from "./admission.ts";
import { type Judged, judgeAttempt, type Limit, purgeAttempts } from "./attempts.ts";
import { type Browser, loginKey } from "./browser.ts";
import {
  endChallenge,
  giveTryBack,
  markVerified,
  type NewChallenge,
  purgeChallenges,
  type StoredChallenge,
  storeChallenge,
  tryTaking,
  unanswered,
  verification,
} from "./challenges.ts";

type LoginDeps = {
  database: Database;
  clock: Clock;
  bank: Bank;
  /** The clock for the core's times. The sandbox's clock may be ahead of it. */
  coreClock: Clock;
  limits: AdmissionLimits;
  /** Whether nobody can use a login, in a sandbox; by default, none is locked. */
  isLocked?: (login: string) => boolean;
};

/** Why a step of logging in was refused, in the customer's words. */
export type LoginRefusal = {
  error: string;
  /** When another attempt is possible, if this one was not checked; otherwise null. */
  waitUntil: Temporal.Instant | null;
  /** After a wrong attempt: the error alone, the attempts before a wait, the wait's end if any. */
  wrong?: { error: string; left: number; until: Temporal.Instant | null };
};

/** The result of a code; `over` means that its challenge does not accept codes any more. */
type Verified = "verified" | "over" | LoginRefusal;

/** Who is asked to confirm what, and how many codes the customer has asked for so far. */
type Asked = Pick<NewChallenge, "customerId" | "subject"> & { newCodes?: number };

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
  /** Asks the customer to confirm a subject, with a challenge that the caller stores. */
  ask(asked: Asked): Promise<NewChallenge>;
  /** Like `ask`, but also stores the challenge. */
  challenge(asked: Asked): Promise<StoredChallenge>;
  /** Returns a challenge that accepts codes: this one, or a new one with its subject. */
  keepOpen(challenge: StoredChallenge): Promise<StoredChallenge>;
  /**
   * Sends a new code for a challenge that the customer can see, unless there were too many. The
   * caller stores its challenge, and shows the note.
   */
  renew(challenge: StoredChallenge): Promise<{ renewed: NewChallenge | null; note: string }>;
  /** Checks the code of a challenge, which was loaded for this request. */
  verify(challenge: StoredChallenge, code: string, later?: Sql[]): Promise<Verified>;
  /** Deletes data that is no longer needed. */
  sweep(): Promise<void>;
};

/** The errors of logging in, the same wherever a customer logs in. */
export const loginTexts = {
  password: "We do not recognise that user ID and password. Check them and try again.",
  code: "That code is not right. Check it and try again.",
  newCode: "That code can no longer be used. Enter the new one that we have just sent you.",
  sent: "We have sent you a new code. The one before it no longer works.",
  noMoreCodes: "We cannot send more codes for this request. Use the latest one, or cancel.",
  wait: (until: string): string => `There were too many attempts. Try again after ${until}.`,
  /** After a wrong attempt: how many are left, and what follows the last one. */
  left: (left: number, then: string): string =>
    left === 1 ? `You have one more try. ${then}` : `You have ${left} more tries.`,
};

// The number of consecutive wrong attempts before a wait. Source: SCA-RTS article 4(3)(b).
const allowed = 5;
// The number of new codes that a customer can ask for.
const newCodesAllowed = 3;
// The number of wrong attempts from all unknown browsers together, from any address.
const allowedToStrangers = 50;

/** Whether a step was refused. */
export const isRefusal = (answer: object | string): answer is LoginRefusal =>
  typeof answer === "object" && "error" in answer;

/** A refusal after which the caller allows fewer attempts than the login: what it says then. */
export function withTriesLeft<Given extends Pick<LoginRefusal, "wrong"> & { error: string }>(
  refusal: Given,
  left: number,
): Given {
  const { wrong } = refusal;
  if (!wrong || wrong.until !== null || wrong.left < left) return refusal;
  const wait = wrong.left === left ? ", and you will have to wait before you can try again" : "";
  const then = `If it is wrong too, we will stop this request${wait}.`;
  return { ...refusal, error: `${wrong.error} ${loginTexts.left(left, then)}` };
}

/** Makes the login. */
export function createLogin(deps: LoginDeps): Login {
  const { database, clock, bank } = deps;
  const admission = createAdmission(deps.limits, clock);
  const login: Login = {
    checkPassword: (browser, given, later) => checkPassword(deps, admission, browser, given, later),

    async ask({ customerId, subject, newCodes = 0 }) {
      const challenge = await bank.challenge(customerId, subject);
      if (challenge.method !== "code") {
        const { method } = challenge;
        throw new Error(
          `the bank's pages support only challenges of the method "code", not "${method}"`,
        );
      }
      const lifetime = challenge.expiresAt.since(deps.coreClock.now());
      const expiresAt = clock.now().add(lifetime);
      return { ...challenge, customerId, subject, newCodes, expiresAt };
    },

    async challenge(asked) {
      const challenge = await login.ask(asked);
      await storeChallenge(database, challenge);
      return unanswered(challenge);
    },

    async keepOpen(challenge) {
      return challenge.isOpen ? challenge : login.challenge(challenge);
    },

    async renew({ newCodes, ...challenge }) {
      if (newCodes >= newCodesAllowed) return { renewed: null, note: loginTexts.noMoreCodes };
      const note = loginTexts.sent;
      // the page sends a new code for a challenge that has ended meanwhile
      if (!(await endChallenge(database, challenge.challengeId, clock.now())))
        return { renewed: null, note };
      return { renewed: await login.ask({ ...challenge, newCodes: newCodes + 1 }), note };
    },

    async verify({ challengeId, customerId, isOpen }, code, later) {
      if (!isOpen) return "over";
      const limits = [{ subject: `factor:${customerId}`, allowed }];
      try {
        const judged = await judgeAttempt(
          deps,
          limits,
          (hasTry) => judgeCode(deps, { challengeId, code, hasTry }, later),
          { later, first: (condition, now) => tryTaking(challengeId, now, condition) },
        );
        if (judged.state === "right") return "verified";
        return refusalOf(judged, loginTexts.code, clock.now());
      } catch (error) {
        if (error instanceof ChallengeOver) return "over";
        throw error;
      }
    },

    async sweep() {
      await purgeAttempts(database, clock.now());
      await purgeChallenges(database, clock.now());
    },
  };
  return login;
}

class ChallengeOver extends Error {}

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
  const login = given.login.trim().slice(0, 100);
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
  const key = loginKey(login);
  const device = browser.deviceOf(login);
  if (device !== null) return [{ subject: `device:${device}`, allowed }];
  return [
    { subject: `login:${key} from ${browser.address}`, allowed },
    { subject: `login:${key}`, allowed: allowedToStrangers },
  ];
}

type CodeGiven = { challengeId: string; code: string; hasTry: boolean };

/** Returns null for a wrong code. Throws, uncounted, if the challenge does not accept codes. */
async function judgeCode(
  { database, clock, bank }: LoginDeps,
  { challengeId, code, hasTry }: CodeGiven,
  later: Sql[] | undefined,
): Promise<true | null> {
  if (!hasTry) throw new ChallengeOver();
  let isRight: boolean;
  try {
    isRight = await bank.verify(challengeId, code.replaceAll(" ", ""));
  } catch (error) {
    await giveTryBack(database, challengeId).catch(() => undefined);
    throw error;
  }
  if (!isRight) return null;
  const now = clock.now();
  if (later) later.push(verification(challengeId, now));
  else if (!(await markVerified(database, challengeId, now))) throw new ChallengeOver();
  return true;
}

/** The wait that follows the last try, on every page. */
const thenWait = "If it is wrong too, you will have to wait before you can try again.";

function refusalOf(
  judged: Exclude<Judged<unknown>, { state: "right" }>,
  error: string,
  now: Temporal.Instant,
): LoginRefusal {
  if (judged.state === "wait") return waitingUntil(judged.until, now);
  const { left, until } = judged;
  const wrong = { error, left, until };
  const next = until ? loginTexts.wait(momentText(until, now)) : loginTexts.left(left, thenWait);
  return { error: `${error} ${next}`, waitUntil: null, wrong };
}

const waitingUntil = (waitUntil: Temporal.Instant, now: Temporal.Instant): LoginRefusal => ({
  error: loginTexts.wait(momentText(waitUntil, now)),
  waitUntil,
});
