import { type ApiVersion, inOrder } from "#src/standard/api-version.ts";
import { v3Headers } from "#src/standard/shared/v3/v3-rules.ts";

const always = [400, 401, 403, 405, 406, 429, 500];

/** The refusal statuses that the published files of every version declare for an operation. */
const declaredStatuses = ({ method }: { method: string }): number[] =>
  method === "POST" ? [...always, 415] : always;

/**
 * The rules that every version of Confirmation of Funds has. No step checks the version of the
 * token's consent: the operations of v3.1 refuse a consent of v4.0 with 400. Source: C-102.
 */
export const confirmationOfFunds = {
  title: "Confirmation of Funds",
  scopes: ["fundsconfirmations"],
  rateLimitGroup: "cbpii",
  // The steps have the same order as in account information.
  steps: inOrder([
    "token",
    "grant",
    "scope",
    "rate-limit",
    "accept",
    "content-type",
    "interaction-id",
    "auth-date",
    "body",
  ]),
  headers: v3Headers,
  wrongGrant: 403,
  declaredStatuses,
} as const satisfies Partial<ApiVersion>;
