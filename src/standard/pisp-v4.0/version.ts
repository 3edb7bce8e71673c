import { type ApiVersion, inOrder } from "#src/standard/api-version.ts";
import {
  mandatoryOperations,
  ofVrp,
  vrpWithKey,
} from "#src/standard/shared/payments/mandatory-operations.ts";
import { v4Consents, v4Signed } from "#src/standard/shared/v4/v4-rules.ts";

const always = [400, 401, 403, 405, 406, 429, 500];

const withoutConflict: ReadonlySet<string> = new Set([
  "CreateDomesticPaymentConsents",
  "CreateInternationalPayments",
]);

/**
 * The refusals' statuses that the standard declares for an operation. Source: PISP OpenAPI file,
 * /domestic-payments; VRP OpenAPI file, /domestic-vrps.
 */
function declaredStatuses(operation: { operationId: string; method: string }): number[] {
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

/** Payment Initiation v4.0, at the patch 4.0.1, which keeps the path of 4.0. Source: D-401-01. */
export const pispV40: ApiVersion = {
  id: "pisp-v4.0",
  title: "Payment Initiation",
  release: "4.0.1",
  basePath: "/api/open-banking/v4.0/pisp",
  scopes: ["payments"],
  rateLimitGroup: "pisp",
  // Source: P-001…P-009, P-013…P-019, P-031…P-045
  steps: inOrder([
    "interaction-id",
    "token",
    "grant",
    "scope",
    "consent-version",
    "rate-limit",
    "accept",
    "content-type",
    "auth-date",
    "idempotency-key",
    "body",
  ]),
  ...v4Signed,
  consents: v4Consents("pisp-v3.1", "pisp-v4.0"),
  declaredStatuses,
};
