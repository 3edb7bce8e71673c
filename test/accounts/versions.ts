import type { AccountApiId } from "#src/accounts/resource.ts";
import { errorNames } from "#src/standard/aisp-v3.1/error-codes.ts";

type ErrorBody = { Errors: { ErrorCode: string; Path?: string }[] };

/** A version of account information in the words that tests expect of it. */
export type TestedVersion = {
  id: AccountApiId;
  basePath: string;
  /** The name that the version has for a v4 code. */
  errorName(code: keyof typeof errorNames): string;
  /** The name that a 403 has for a v4 code. */
  deniedName(code: "U006" | "U011"): string;
  /** The name of a denial for which the standard has no code. */
  ownDenial(name: "PermissionMissing" | "AccountNotAccessible"): string;
  consentWords: Readonly<Record<"AWAU" | "AUTH" | "RJCT" | "CANC" | "EXPD", string>>;
  /** Whether a consent has StatusReason. */
  hasReasons: boolean;
  /** Whether the body of a consent request may have more members than are published. */
  isConsentOpen: boolean;
  /** The text of the 401 for an expired token; empty for none. */
  expired: RegExp;
};

/** Every version that is served, the same tests for each. */
export const versions: readonly TestedVersion[] = [
  {
    id: "aisp-v3.1",
    basePath: "/api/open-banking/v3.1/aisp",
    errorName: (code) => errorNames[code],
    deniedName: () => "GB.Aldgate.AccessDenied",
    ownDenial: (name) => `GB.Aldgate.${name}`,
    consentWords: {
      AWAU: "AwaitingAuthorisation",
      AUTH: "Authorised",
      RJCT: "Rejected",
      CANC: "Authorised",
      EXPD: "Authorised",
    },
    hasReasons: false,
    isConsentOpen: false,
    expired: /^$/,
  },
  {
    id: "aisp-v4.0",
    basePath: "/api/open-banking/v4.0/aisp",
    errorName: (code) => code,
    deniedName: (code) => code,
    ownDenial: () => "AG08",
    consentWords: { AWAU: "AWAU", AUTH: "AUTH", RJCT: "RJCT", CANC: "CANC", EXPD: "EXPD" },
    hasReasons: true,
    isConsentOpen: true,
    expired: /"ErrorCode":"TKXP"/,
  },
];

/** The faults of an error body: the version's code, and the path if there is one. */
export const faultsOf = ({ Errors }: ErrorBody): string[] =>
  Errors.map(({ ErrorCode, Path }) => `${ErrorCode} ${Path ?? ""}`.trim());
