import { type ApiVersion, inOrder } from "#src/standard/api-version.ts";
import { v3Headers } from "#src/standard/shared/v3/v3-rules.ts";

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

const always = [400, 401, 403, 405, 406, 429, 500];

// Statuses that every bank must offer.
const mandatory: ReadonlySet<string> = new Set([
  "CreateAccountAccessConsents",
  "GetAccountAccessConsentsConsentId",
  "DeleteAccountAccessConsentsConsentId",
  "GetAccounts",
  "GetAccountsAccountId",
  "GetAccountsAccountIdBalances",
  "GetAccountsAccountIdTransactions",
]);

/** The refusal statuses that the published files of every version declare for an operation. */
function declaredStatuses(operation: { operationId: string; method: string }): number[] {
  const { operationId, method } = operation;
  const statuses = mandatory.has(operationId) ? [...always] : [...always, 404];
  return method === "POST" ? [...statuses, 415] : statuses;
}
