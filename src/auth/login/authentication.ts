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

/** The authentication by the methods that the bank's own app has used. */
export const inApp = (amr: readonly string[], at: Temporal.Instant): Authentication => ({
  method: "app",
  acr: strongAuthentication,
  amr: [...new Set([...amr, "mfa"])],
  at: at.toString(),
});

/** The authentication by a password and by what confirmed the act. */
export const withPassword = (
  method: ApprovalMethodName,
  amr: readonly string[],
  at: Temporal.Instant,
): Authentication => ({
  method,
  acr: strongAuthentication,
  amr: [...new Set(["pwd", ...amr, "mfa"])],
  at: at.toString(),
});
