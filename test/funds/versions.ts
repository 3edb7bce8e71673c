import { errorNames } from "#src/standard/aisp-v3.1/error-codes.ts";

type Word = "AWAU" | "AUTH" | "RJCT" | "CANC" | "EXPD";

/** A version of confirmation of funds in the words that tests expect of it. */
export type TestedVersion = {
  /** Below the base of all APIs. */
  path: string;
  /** The name that the version has for a v4 code. */
  errorName(code: string): string;
  words: Readonly<Record<Word, string>>;
  /** Whether a consent has StatusReason, and its account a Proxy. */
  isV4: boolean;
};

/** Every version that is served, the same tests for each. */
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
