const always = [400, 401, 403, 405, 406, 429, 500];

// What every bank must have cannot be missing.
const mandatory: ReadonlySet<string> = new Set([
  "CreateAccountAccessConsents",
  "GetAccountAccessConsentsConsentId",
  "DeleteAccountAccessConsentsConsentId",
  "GetAccounts",
  "GetAccountsAccountId",
  "GetAccountsAccountIdBalances",
  "GetAccountsAccountIdTransactions",
]);

/** The refusals' statuses that the standard declares for an operation. Source: digest section 1. */
export function declaredStatuses(operation: { operationId: string; method: string }): number[] {
  const { operationId, method } = operation;
  const statuses = mandatory.has(operationId) ? [...always] : [...always, 404];
  return method === "POST" ? [...statuses, 415] : statuses;
}
