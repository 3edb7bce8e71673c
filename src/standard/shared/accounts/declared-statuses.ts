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
export function declaredStatuses(operation: { operationId: string; method: string }): number[] {
  const { operationId, method } = operation;
  const statuses = mandatory.has(operationId) ? [...always] : [...always, 404];
  return method === "POST" ? [...statuses, 415] : statuses;
}
