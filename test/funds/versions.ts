import { errorNames } from "#src/standard/shared/v3/error-codes.ts";

type Word = "AWAU" | "AUTH" | "RJCT" | "CANC" | "EXPD";

/** A version of confirmation of funds, with the words that tests expect from it. */
export type TestedVersion = {
  /** The path below the base URL of all APIs. */
  path: string;
  /** Returns the version's name for a v4 code. */
  errorName(code: string): string;
  words: Readonly<Record<Word, string>>;
  /** Whether a consent has StatusReason, and its account a Proxy. */
  isV4: boolean;
};

/** Every version that is served. The same tests run for each. */
export const versions: readonly TestedVersion[] = [
  {
    path: "/v3.1/cbpii",
    errorName: (code) => errorNames[code as keyof typeof errorNames],
    words: {
      AWAU: "AwaitingAuthorisation",
      AUTH: "Authorised",
      RJCT: "Rejected",
      CANC: "Revoked",
      EXPD: "Authorised",
    },
    isV4: false,
  },
  {
    path: "/v4.0/cbpii",
    errorName: (code) => code,
    words: { AWAU: "AWAU", AUTH: "AUTH", RJCT: "RJCT", CANC: "CANC", EXPD: "EXPD" },
    isV4: true,
  },
];
