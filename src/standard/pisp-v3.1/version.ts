import { type ApiVersion, inOrder } from "#src/standard/api-version.ts";
import {
  mandatoryOperations,
  ofVrp,
  vrpWithKey,
} from "#src/standard/shared/payments/mandatory-operations.ts";
import { v3PaymentErrors } from "#src/standard/shared/v3/error-response.ts";
import { v3Headers } from "#src/standard/shared/v3/v3-rules.ts";

/**
 * Payment Initiation v3.1, at the patch 3.1.11. No step checks the version of the token's consent:
 * the operations themselves refuse a consent of v4.0 with 400. Source: F-006, V-172.
 */
export const pispV31: ApiVersion = {
  id: "pisp-v3.1",
  title: "Payment Initiation",
  release: "3.1.11",
  basePath: "/api/open-banking/v3.1/pisp",
  scopes: ["payments"],
  rateLimitGroup: "pisp",
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
    "idempotency-key",
    "body",
  ]),
  headers: v3Headers,
  errors: v3PaymentErrors,
  wrongGrant: 403,
  consents: {
    // v3.1 has no status for a consent that was revoked at the bank, or that has expired. Source:
    // D-401-79
    words: {
      AWUP: "AwaitingUpload",
      AWAU: "AwaitingAuthorisation",
      RJCT: "Rejected",
      AUTH: "Authorised",
      COND: "Consumed",
      CANC: "Authorised",
      EXPD: "Authorised",
    },
    renderReason: null,
    serves: new Set(["pisp-v3.1"]),
  },
  declaredStatuses({ operationId, method }) {
    const always = [400, 401, 403, 405, 406, 429, 500];
    if (ofVrp.test(operationId)) {
      return [...always, 415, ...(vrpWithKey.has(operationId) ? [409] : [])];
    }
    const posted = method === "POST" ? [415] : [];
    return [...always, ...(mandatoryOperations.has(operationId) ? [] : [404]), ...posted];
  },
};
