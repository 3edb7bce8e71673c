// Cores that are each broken in one way with logins, codes, passkeys and the app.
import { randomBytes } from "node:crypto";
import type { ChallengeResult, PasskeyOffer } from "#src/bank/challenge.ts";
import { type Bank, BankError } from "#src/bank/port.ts";
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

const appCores: readonly BrokenCore[] = [
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

/** The calls of a core whose customers have passkeys that no device holds. */
const passkeyCalls = (bank: Bank, signed: (subjectHash: string) => Buffer): Partial<Bank> => ({
  async challenge(customerId, subject, request) {
    const { challengeId, expiresAt } = await bank.challenge(customerId, subject, request);
    const passkey: PasskeyOffer = {
      request: {
        challenge: signed(request.subjectHash).toString("base64url"),
        rpId: "bank.example",
        allowCredentials: [{ type: "public-key", id: "AAAA" }],
        userVerification: "required",
      },
    };
    return { challengeId, method: "passkey", expiresAt, passkey };
  },
});

/** The cores. */
export const identityCores: readonly BrokenCore[] = [
  ...appCores,
  {
    name: "says that a login is unknown",
    caughtBy: "K2-04",
    also: ["K2-03"],
    groups: ["K2-01", "K2-02", "K2-03", "K2-04", "K2-06", "K2-07"],
    make: ({ bank }) => ({
      async authenticate(login, password) {
        if (login.endsWith("-x")) throw new BankError("refused", "there is no such login");
        return bank.authenticate(login, password);
      },
    }),
  },
  {
    name: "does not look at the password of an unknown login, so that it answers sooner",
    caughtBy: "K2-05",
    groups: ["K2-03", "K2-04", "K2-05"],
    make: ({ bank }) => ({
      authenticate: async (login, password) =>
        login.endsWith("-x") ? null : bank.authenticate(login, password),
    }),
  },
  {
    name: "takes a code a second time",
    caughtBy: "K2-16",
    also: ["K2-17"],
    groups: ["K2-14", "K2-15", "K2-16", "K2-17", "K2-18", "K2-19", "K2-20"],
    make: ({ bank }) => {
      const right = new Set<string>();
      return {
        async verify(challengeId, code) {
          const answer = `${challengeId} ${code}`;
          if (await bank.verify(challengeId, code)) right.add(answer);
          return right.has(answer);
        },
      };
    },
  },
  {
    name: "looks only at the first four digits of a code",
    caughtBy: "K2-31",
    groups: ["K2-14", "K2-15", "K2-18", "K2-20", "K2-31"],
    make: (core) => ({
      async verify(challengeId, code) {
        const right = await core.readTestCode?.(challengeId);
        const isAlmost = right?.slice(0, 4) === code.slice(0, 4);
        return core.bank.verify(challengeId, isAlmost ? right : code);
      },
    }),
  },
  {
    name: "takes the code of one payment for another",
    caughtBy: "K2-19",
    groups: ["K2-14", "K2-15", "K2-16", "K2-17", "K2-18", "K2-19", "K2-20"],
    make: (core) => {
      const latest = new Map<string, string>();
      return {
        async challenge(...given) {
          const made = await core.bank.challenge(...given);
          latest.set("before", latest.get("last") ?? "");
          latest.set("last", made.challengeId);
          return made;
        },
        async verify(challengeId, code) {
          const before = await core.readTestCode?.(latest.get("before") ?? "");
          return code === before || core.bank.verify(challengeId, code);
        },
      };
    },
  },
  {
    name: "lets a passkey sign something that does not depend on the subject",
    caughtBy: "K2-21",
    also: ["K2-22"],
    groups: ["K2-21", "K2-22", "K2-23"],
    make: ({ bank }) => passkeyCalls(bank, () => Buffer.alloc(56)),
  },
  {
    name: "lets a passkey sign the same for each payment of an amount",
    caughtBy: "K2-22",
    groups: ["K2-21", "K2-22", "K2-23"],
    make: ({ bank }) =>
      passkeyCalls(bank, (hash) =>
        Buffer.concat([Buffer.alloc(24), Buffer.from(hash, "base64url")]),
      ),
  },
  {
    name: "does not verify the signature of a passkey",
    caughtBy: "K2-23",
    groups: ["K2-21", "K2-22", "K2-23"],
    make: ({ bank }) => ({
      ...passkeyCalls(bank, (hash) =>
        Buffer.concat([randomBytes(24), Buffer.from(hash, "base64url")]),
      ),
      verify: async (_, answer) => "signature" in JSON.parse(answer).response,
    }),
  },
  {
    name: "does not look at the version of the contract",
    caughtBy: "K1-03",
    also: ["K1-04", "K1-05"],
    groups: ["K1"],
    make: () => (app) => {
      app.server.prependListener("request", ({ headers }) => {
        headers["aldgate-contract"] = "1";
      });
    },
  },
];
