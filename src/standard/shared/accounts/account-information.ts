import { type ApiVersion, inOrder } from "#src/standard/api-version.ts";
import { v3Headers } from "#src/standard/shared/v3/v3-rules.ts";
import { declaredStatuses } from "./declared-statuses.ts";

/** The rules that every version of Account Information has. v4 changes only words. */
export const accountInformation = {
  title: "Account Information",
  scopes: ["accounts"],
  rateLimitGroup: "aisp",
  // The interaction id is checked with the other headers, after the token. Source: A-004…A-048
  steps: inOrder([
    "token",
    "grant",
    "scope",
    "consent-version",
    "rate-limit",
    "accept",
    "content-type",
    "interaction-id",
    "auth-date",
    "body",
  ]),
  headers: v3Headers,
  wrongGrant: 401,
  declaredStatuses,
} as const satisfies Partial<ApiVersion>;
