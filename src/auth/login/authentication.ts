import type { ApprovalMethodName } from "#src/bank/challenge.ts";

/** Strong customer authentication, with which every authorization here is given. */
export const strongAuthentication = "urn:openbanking:psd2:sca";

/** How much the clocks of the bank's systems may differ. */
export const clockTolerance = { seconds: 15 };

/** How a customer was authenticated for one act, with both factors. */
export type Authentication = {
  /** How the customer confirmed the act. */
  method: ApprovalMethodName;
  /** The level, and the methods that were really used. Source: RFC 8176 section 2. */
  acr: string;
  amr: readonly string[];
  /** When the customer confirmed the act, by the bank's clock (RFC 3339). */
  at: string;
};

/**
 * The methods of each kind of factor. The methods of one kind are one factor. Source: SCA-RTS
 * article 4(1), RFC 8176 section 2.
 */
export const factorMethods = {
  knowledge: ["pwd", "pin", "kba"],
  possession: ["hwk", "swk", "sc", "pop", "otp", "sms", "tel"],
  inherence: ["face", "fpt", "iris", "retina", "vbm"],
} as const;

/** Whether these methods are factors of two kinds. A method of no known kind does not count. */
export const isStrong = (amr: readonly string[]): boolean =>
  Object.values(factorMethods).filter((kind: readonly string[]) =>
    kind.some((method) => amr.includes(method)),
  ).length > 1;

/** The authentication by the methods that the bank's own app has used. */
export const inApp = (amr: readonly string[], at: Temporal.Instant): Authentication => ({
  method: "app",
  acr: strongAuthentication,
  amr: [...new Set([...amr, "mfa"])],
  at: at.toString(),
});

/** The authentication by what confirmed the act alone: the login before it is not counted yet. */
export const confirmedBy = (
  method: ApprovalMethodName,
  amr: readonly string[],
  at: Temporal.Instant,
): Authentication => ({ method, acr: strongAuthentication, amr, at: at.toString() });

/**
 * The methods of a login before the second factor, as the bank's provider names them; null after a
 * password that was entered here.
 */
export type LoginMethods = readonly string[] | null;

/**
 * Whether a login at the bank's provider and the second factor after it are of one kind. A provider
 * that names no methods is trusted by its `acr`.
 */
export const isTooWeak = (login: LoginMethods, amr: readonly string[]): boolean =>
  login !== null && login.length > 0 && !isStrong(amr);

/** Adds the methods of the login, or of an earlier confirmation, to those of the second factor. */
export const afterLogin = (login: LoginMethods, given: Authentication): Authentication => ({
  ...given,
  amr: [...new Set([...(login ?? ["pwd"]), ...given.amr, "mfa"])],
});
