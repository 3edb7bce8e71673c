import { forgetting, type Judged, judgeAttempt, lockedUntil } from "#src/auth/login/attempts.ts";
import {
  type Authentication,
  clockTolerance,
  confirmedBy,
} from "#src/auth/login/authentication.ts";
import {
  endChallenge,
  endRefused,
  loadChallenge,
  markVerified,
  type StoredChallenge,
  takeTurn,
  verification,
} from "#src/auth/login/challenges.ts";
import { loginTexts, refusalOf } from "#src/auth/login/refusal.ts";
import type { ChallengeResult } from "#src/bank/challenge.ts";
import { present } from "#src/lib/assert.ts";
import { earlierOf } from "#src/lib/date-time.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import { momentText } from "#src/pages/wording.ts";
import {
  type ApprovalMethod,
  askedLimits,
  type Declined,
  factorLimit,
  isRenewable,
  type MethodDeps,
  type Verified,
} from "./method.ts";

/** The bank's app on another device: our page waits, and asks the core for the answer. */
export const decoupledMethod: ApprovalMethod = {
  isAnsweredElsewhere: true,
  // each challenge calls the customer to the phone, so only the customer asks for another one
  renewsItself: false,
  texts: {
    sent: "We have sent this to your app again. Use the newest request there: an older one has no effect.",
    noMore: "We cannot send this to your app again. Answer the latest request, or cancel.",
    over: "",
    codeInstead: loginTexts.sentInstead,
  },

  async asks({ isSettled, app, expiresAt, newCodes }, { now, hints }) {
    const canRenew = isRenewable({ newCodes });
    return {
      by: "app",
      until: momentText(Temporal.Instant.from(expiresAt), now),
      digits: app?.digits ?? null,
      appLink: app?.appLink ?? null,
      hasCode: canRenew && (app?.hasCode ?? false),
      canRenew,
      isOver: isSettled,
      isSandbox: hints !== undefined,
    };
  },

  async judge(deps, challenge, _answer, later) {
    const { database, clock } = deps;
    const { challengeId, unspent } = challenge;
    if (challenge.refusedAs) return refusalKept(deps, challenge);
    if (unspent) return { verified: approvedAt(unspent.amr, Temporal.Instant.from(unspent.at)) };
    if (!(await takeTurn(database, challengeId, clock.now()))) return "waiting";
    const result = await resultOf(deps, challengeId);
    if (result === null) return "unreachable";
    if (result.state === "pending" && !isPast(challenge, clock.now())) return "waiting";
    if (
      result.state === "pending" ||
      result.state === "expired" ||
      isLate(deps, challenge, result)
    ) {
      await endChallenge(database, challengeId, clock.now());
      return "over";
    }
    const limits = [factorLimit(challenge)];
    if (result.state === "declined" || !isForIt(result, challenge)) {
      const refusedAs = result.state === "declined" ? result.state : "altered";
      // pages in several windows may read the same refusal: the one that ends the challenge counts
      if (!(await endRefused(database, challengeId, refusedAs, clock.now()))) {
        const ended = await loadChallenge(database, challengeId, clock.now());
        return ended?.refusedAs ? refusalKept(deps, ended) : "over";
      }
      // what a TPP has begun has limits of its own, so that it cannot lock the customer out
      if (refusedAs === "declined" && challenge.isByTpp) return { declined: null };
      // a refusal counts as a wrong answer, so that nobody can go on asking the customer
      const judged = await judgeAttempt(deps, limits, async () => null);
      return refusedAs === "altered" ? refusedAs : { declined: afterDeclining(judged) };
    }
    const judged = await judgeAttempt(deps, limits, async () => true, { later });
    if (judged.state === "wait") return refusalOf(judged, "", clock.now());
    const at = answeredAt(deps, result.at);
    const verified = { challengeId, amr: result.amr, now: at };
    const reset = forgetting(askedLimits(challenge));
    if (later) later.push(reset, verification(verified));
    else if (!(await markVerified(database, verified))) return "over";
    if (!later) await database.query(reset);
    return { verified: approvedAt(result.amr, at) };
  },
};

/** The refusal that another page, or a new request, has read and counted before. */
async function refusalKept(
  { database, clock }: MethodDeps,
  challenge: StoredChallenge,
): Promise<Verified> {
  if (challenge.refusedAs === "altered") return "altered";
  if (challenge.isByTpp) return { declined: null };
  const waitUntil = await lockedUntil(database, [factorLimit(challenge)], clock.now());
  return { declined: waitUntil && { error: loginTexts.declinedTooOften, waitUntil } };
}

/** What follows a refusal in the app; null if the customer can go on refusing for now. */
function afterDeclining(judged: Judged<unknown>): Declined | null {
  if (judged.state === "right") return null;
  if (judged.until) return { error: loginTexts.declinedTooOften, waitUntil: judged.until };
  if (judged.state !== "wrong" || judged.left > 1) return null;
  return { error: loginTexts.declinedNearlyTooOften, waitUntil: null };
}

/** Whether a challenge has ended, even by a core whose clock is a little behind. */
const isPast = ({ expiresAt }: StoredChallenge, now: Temporal.Instant): boolean =>
  Temporal.Instant.compare(Temporal.Instant.from(expiresAt).add(clockTolerance), now) < 0;

/**
 * Whether the customer has approved after the end of the challenge. The time of the approval
 * counts, not that of the page which asks for it.
 */
const isLate = (deps: MethodDeps, { expiresAt }: StoredChallenge, result: ChallengeResult) =>
  result.state === "approved" &&
  Temporal.Instant.compare(answeredAt(deps, result.at), Temporal.Instant.from(expiresAt)) > 0;

const approvedAt = (amr: readonly string[], at: Temporal.Instant): Authentication =>
  confirmedBy("decoupled", amr, at);

/** Returns the answer; null if the core cannot give it now. The page then goes on waiting. */
async function resultOf(
  { bank }: MethodDeps,
  challengeId: string,
): Promise<ChallengeResult | null> {
  const ask = present(bank.challengeResult, "challengeResult of a core with decoupled challenges");
  try {
    return await ask.call(bank, challengeId);
  } catch (error) {
    if (error instanceof Unavailable) return null;
    throw error;
  }
}

const isForIt = (
  { subjectHash }: Extract<ChallengeResult, { state: "approved" }>,
  challenge: StoredChallenge,
): boolean => subjectHash === challenge.subjectHash;

/** A time of the core by the bank's clock, and never in the future. */
function answeredAt({ clock, coreClock }: MethodDeps, at: Temporal.Instant): Temporal.Instant {
  const now = clock.now();
  return earlierOf(now.subtract(coreClock.now().since(at)), now);
}
