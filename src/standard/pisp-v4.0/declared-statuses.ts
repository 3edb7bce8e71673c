import { mandatoryOperations } from "#src/standard/shared/payments/mandatory-operations.ts";

const always = [400, 401, 403, 405, 406, 429, 500];

const withoutConflict: ReadonlySet<string> = new Set([
  "CreateDomesticPaymentConsents",
  "CreateInternationalPayments",
]);

// Variable recurring payments have a file of their own, with other statuses.
const ofVrp = /^domesticVrp/;
const vrpWithKey: ReadonlySet<string> = new Set(["domesticVrpConsentsPost", "domesticVrpPost"]);

/**
 * The refusals' statuses that the standard declares for an operation. Source: PISP OpenAPI file,
 * /domestic-payments; VRP OpenAPI file, /domestic-vrps.
 */
export function declaredStatuses(operation: { operationId: string; method: string }): number[] {
  const { operationId, method } = operation;
  if (ofVrp.test(operationId)) {
    return [...always, 415, ...(vrpWithKey.has(operationId) ? [409, 422] : [])];
  }
  const statuses = mandatoryOperations.has(operationId) ? [...always] : [...always, 404];
  if (method === "POST") {
    statuses.push(415, 422);
    if (!withoutConflict.has(operationId)) statuses.push(409);
  }
  return statuses;
}
