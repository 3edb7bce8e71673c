const always = [400, 401, 403, 405, 406, 429, 500];

// Statuses that every bank must offer.
const mandatory: ReadonlySet<string> = new Set([
  "CreateDomesticPaymentConsents",
  "GetDomesticPaymentConsentsConsentId",
  "GetDomesticPaymentConsentsConsentIdFundsConfirmation",
  "CreateDomesticPayments",
  "GetDomesticPaymentsDomesticPaymentId",
]);

const withoutConflict: ReadonlySet<string> = new Set([
  "CreateDomesticPaymentConsents",
  "CreateInternationalPayments",
]);

/**
 * The refusals' statuses that the standard declares for an operation. Source: PISP OpenAPI file.
 */
export function declaredStatuses(operation: { operationId: string; method: string }): number[] {
  const { operationId, method } = operation;
  const statuses = mandatory.has(operationId) ? [...always] : [...always, 404];
  if (method === "POST") {
    statuses.push(415, 422);
    if (!withoutConflict.has(operationId)) statuses.push(409);
  }
  return statuses;
}
