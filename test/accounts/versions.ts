import type { AccountApiId } from "#src/accounts/resource.ts";
import { errorNames } from "#src/standard/shared/v3/error-codes.ts";

type ErrorBody = { Errors: { ErrorCode: string; Path?: string }[] };

/** A version of account information, and what tests expect of it. */
export type TestedVersion = {
  id: AccountApiId;
  basePath: string;
  /** Returns the version's name for a v4.0 error code. */
  errorName(code: keyof typeof errorNames): string;
  /** Returns the name with which a 403 of the version gives a v4.0 error code. */
  deniedName(code: "U006" | "U011"): string;
  /** Returns the name of a refusal for which the standard has no code. */
  ownDenial(name: "PermissionMissing" | "AccountNotAccessible"): string;
  consentWords: Readonly<Record<"AWAU" | "AUTH" | "RJCT" | "CANC" | "EXPD", string>>;
  /** Whether a consent has StatusReason. */
  hasReasons: boolean;
  /** Whether a consent request may have members that are not published. */
  isConsentOpen: boolean;
  /** Matches the body of the 401 for an expired token, which may be empty. */
  expired: RegExp;
  /** Matches the body of the 401 for the token of a cancelled consent, which may be empty. */
  cancelled: RegExp;
};

/** Every version that is served. The same tests run for each. */
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
    cancelled: /^$/,
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
    cancelled: /"ErrorCode":"TKSP"/,
  },
];

/** Lists the errors of an error body: the version's code, and the path if there is one. */
export const faultsOf = ({ Errors }: ErrorBody): string[] =>
  Errors.map(({ ErrorCode, Path }) => `${ErrorCode} ${Path ?? ""}`.trim());
