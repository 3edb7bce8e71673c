import { forgetting, judgeAttempt } from "#src/auth/login/attempts.ts";
import { confirmedBy } from "#src/auth/login/authentication.ts";
import {
  giveTryBack,
  markVerified,
  type StoredChallenge,
  tryTaking,
  verification,
} from "#src/auth/login/challenges.ts";
import { refusalOf } from "#src/auth/login/refusal.ts";
import type { ProvedBy } from "#src/bank/challenge.ts";
import type { Sql } from "#src/storage/sql.ts";
import { askedLimits, factorLimit, type MethodDeps, type Verified } from "./method.ts";

class ChallengeOver extends Error {}

/** An answer that our page has sent. */
type PageAnswer = {
  /** Asks the core whether the answer is right. */
  check(): Promise<boolean | ProvedBy>;
  /** What a right answer proves if the core does not say it. */
  amr: readonly string[];
  /** The message after a wrong answer. */
  wrong: string;
};

/** Judges an answer that the customer has given on our page, within the limits of a customer. */
export async function judgeOnPage(
  deps: MethodDeps,
  challenge: StoredChallenge,
  answer: PageAnswer,
  later: Sql[] | undefined,
): Promise<Verified> {
  const { challengeId, method } = challenge;
  try {
    const judged = await judgeAttempt(
      deps,
      [factorLimit(challenge)],
      (hasTry) => judge(deps, { challengeId, answer, hasTry }, later),
      { later, first: (condition, now) => tryTaking(challengeId, now, condition) },
    );
    if (judged.state !== "right") return refusalOf(judged, answer.wrong, deps.clock.now());
    // a customer who confirms here does not leave requests unanswered
    if (deps.bank.challengeResult) {
      const reset = forgetting(askedLimits(challenge));
      if (later) later.push(reset);
      else await deps.database.query(reset);
    }
    return { verified: confirmedBy(method, judged.value.amr, judged.value.at) };
  } catch (error) {
    if (error instanceof ChallengeOver) return "over";
    throw error;
  }
}

type Given = { challengeId: string; answer: PageAnswer; hasTry: boolean };

/**
 * Returns when the right answer was given and what it proves, or null for a wrong answer. Throws,
 * uncounted, if the challenge does not accept answers.
 */
async function judge(
  { database, clock }: MethodDeps,
  { challengeId, answer, hasTry }: Given,
  later: Sql[] | undefined,
): Promise<{ amr: readonly string[]; at: Temporal.Instant } | null> {
  if (!hasTry) throw new ChallengeOver();
  let proved: boolean | ProvedBy;
  try {
    proved = await answer.check();
  } catch (error) {
    await giveTryBack(database, challengeId).catch(() => undefined);
    throw error;
  }
  if (proved === false) return null;
  const amr = proved === true ? answer.amr : proved.amr;
  const at = clock.now();
  const verified = { challengeId, amr, now: at };
  if (later) later.push(verification(verified));
  else if (!(await markVerified(database, verified))) throw new ChallengeOver();
  return { amr, at };
}
