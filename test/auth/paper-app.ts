import type { ChallengeRequest, ChallengeResult, FactorCalls } from "#src/bank/challenge.ts";
import { newId } from "#src/lib/ids.ts";
import { paperBank } from "./paper-bank.ts";

/**
 * What the customer does in the app of the paper bank; `altered` approves another subject, and
 * `weak` approves without a fingerprint.
 */
export type PaperAnswer = "approved" | "declined" | "expired" | "altered" | "weak" | "unreachable";

/** The paper bank's app, in which customers confirm instead of with a code. */
export type PaperApp = {
  calls: Required<FactorCalls>;
  /** Answers a challenge; by default the newest one. */
  answer(answer: PaperAnswer, challengeId?: string): void;
  /** The challenges that were sent to the app, in order. */
  sent: string[];
  /** The challenges whose answer was asked for, in order. */
  asked: string[];
  /** The challenges in the app, in order. */
  challenges: (ChallengeRequest & { customerId: string })[];
};

/** Makes an app. Its customers use a fingerprint, and may ask for a code instead if it has them. */
export function paperApp(now: () => Temporal.Instant, hasCode = true): PaperApp {
  const hashes = new Map<string, string>();
  const answers = new Map<string, ChallengeResult | "unreachable">();
  const asked: string[] = [];
  const challenges: PaperApp["challenges"] = [];
  const sent: string[] = [];
  return {
    asked,
    sent,
    challenges,
    answer(answer, challengeId = sent.at(-1) ?? "") {
      const approved = (subjectHash: string, amr = ["hwk", "fpt"]): ChallengeResult => {
        return { state: "approved", at: now(), amr, subjectHash };
      };
      const own = hashes.get(challengeId) ?? "";
      const given = {
        approved: approved(own),
        altered: approved("another"),
        weak: approved(own, ["hwk"]),
        declined: { state: "declined" },
        expired: { state: "expired" },
        unreachable: "unreachable",
      } as const;
      answers.set(challengeId, given[answer]);
    },
    calls: {
      async challenge(customerId, subject, request) {
        const { subjectHash, method } = request;
        if (method === "code") {
          return paperBank.challenge(customerId, subject, { subjectHash });
        }
        const challengeId = newId("sca");
        sent.push(challengeId);
        challenges.push({ customerId, ...request });
        hashes.set(challengeId, subjectHash);
        const app = { digits: "47", appLink: "https://app.bank.example/1", hasCode };
        const expiresAt = now().add({ minutes: 5 });
        return { challengeId, method: "decoupled", expiresAt, app };
      },
      verify: paperBank.verify,
      async challengeResult(challengeId) {
        asked.push(challengeId);
        const answer = answers.get(challengeId) ?? { state: "pending" };
        if (answer === "unreachable") throw new Error("the core is out of order");
        return answer;
      },
    },
  };
}
