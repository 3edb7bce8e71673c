import { judgeAttempt } from "#src/auth/login/attempts.ts";
import { withPassword } from "#src/auth/login/authentication.ts";
import { giveTryBack, markVerified, tryTaking, verification } from "#src/auth/login/challenges.ts";
import { loginTexts, refusalOf } from "#src/auth/login/refusal.ts";
import type { Sql } from "#src/storage/sql.ts";
import { type ApprovalMethod, factorLimit, type MethodDeps } from "./method.ts";

class ChallengeOver extends Error {}

// what a core that sends codes proves by one of them
const methods = ["otp"];

/** A code that the core has sent, and that the customer enters on our page. */
export const codeMethod: ApprovalMethod = {
  isAnsweredElsewhere: false,
  renewsItself: true,
  texts: { sent: loginTexts.sent, noMore: loginTexts.noMoreCodes },

  async asks({ challengeId, sentTo }, hints) {
    return { by: "code", sentTo, sandboxCode: (await hints?.codeOf(challengeId)) ?? null };
  },

  async judge(deps, challenge, code, later) {
    const { challengeId } = challenge;
    try {
      const judged = await judgeAttempt(
        deps,
        [factorLimit(challenge)],
        (hasTry) => judgeCode(deps, { challengeId, code, hasTry }, later),
        { later, first: (condition, now) => tryTaking(challengeId, now, condition) },
      );
      if (judged.state !== "right") return refusalOf(judged, loginTexts.code, deps.clock.now());
      return { verified: withPassword("code", methods, judged.value) };
    } catch (error) {
      if (error instanceof ChallengeOver) return "over";
      throw error;
    }
  },
};

type CodeGiven = { challengeId: string; code: string; hasTry: boolean };

/**
 * Returns when the right code was given, or null for a wrong code. Throws, uncounted, if the
 * challenge does not accept codes.
 */
async function judgeCode(
  { database, clock, bank }: MethodDeps,
  { challengeId, code, hasTry }: CodeGiven,
  later: Sql[] | undefined,
): Promise<Temporal.Instant | null> {
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
  const verified = { challengeId, amr: methods, now };
  if (later) later.push(verification(verified));
  else if (!(await markVerified(database, verified))) throw new ChallengeOver();
  return now;
}
