// Cores that are each broken in one way with challenges of the app.
import type { ChallengeResult } from "#src/bank/challenge.ts";
import type { ServedCore } from "#src/connector/serve-core.ts";
import { present } from "#src/lib/assert.ts";
import type { BrokenCore } from "./broken-core.ts";

const groups = ["K2-24", "K2-25", "K2-26", "K2-27", "K2-28", "K2-29", "K2-30"];

const resultOf = ({ bank }: ServedCore, challengeId: string): Promise<ChallengeResult> =>
  present(bank.challengeResult, "challengeResult").call(bank, challengeId);

const approval = (): ChallengeResult => ({
  state: "approved",
  at: Temporal.Now.instant(),
  amr: ["hwk"],
  subjectHash: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
});

/** The cores. */
export const appCores: readonly BrokenCore[] = [
  {
    name: "calls a challenge of the app expired before anybody has answered it",
    caughtBy: "K2-24",
    also: ["K2-30"],
    groups,
    make: (core) => ({
      async challengeResult(challengeId) {
        const result = await resultOf(core, challengeId);
        return result.state === "pending" ? { state: "expired" } : result;
      },
    }),
  },
  {
    name: "takes an unknown challenge for an approved one",
    caughtBy: "K2-25",
    groups,
    make: (core) => ({
      challengeResult: async (challengeId) =>
        challengeId.startsWith("no-") ? approval() : resultOf(core, challengeId),
    }),
  },
  {
    name: "takes any code for a challenge of the app",
    caughtBy: "K2-26",
    groups,
    make: () => ({ verify: async () => true }),
  },
  {
    name: "returns the hash of another subject with an approval in the app",
    caughtBy: "K2-27",
    groups,
    make: (core) => ({
      async challengeResult(challengeId) {
        const result = await resultOf(core, challengeId);
        return result.state === "approved" ? { ...approval(), at: result.at } : result;
      },
    }),
  },
  {
    name: "returns an approval in the app once",
    caughtBy: "K2-28",
    groups,
    make: (core) => {
      const returned = new Set<string>();
      return {
        async challengeResult(challengeId) {
          const result = await resultOf(core, challengeId);
          if (result.state !== "approved") return result;
          if (returned.has(challengeId)) return { state: "expired" };
          returned.add(challengeId);
          return result;
        },
      };
    },
  },
  {
    name: "leaves a declined challenge of the app pending",
    caughtBy: "K2-29",
    groups,
    make: (core) => ({
      async challengeResult(challengeId) {
        const result = await resultOf(core, challengeId);
        return result.state === "declined" ? { state: "pending" } : result;
      },
    }),
  },
  {
    name: "takes an approval in the app for every challenge of the customer",
    caughtBy: "K2-30",
    groups: ["K2-30"],
    make: (core) => {
      let latest: ChallengeResult | null = null;
      return {
        async challengeResult(challengeId) {
          const result = await resultOf(core, challengeId);
          if (result.state === "approved") latest = result;
          return latest ?? result;
        },
      };
    },
  },
];
