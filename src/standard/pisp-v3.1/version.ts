import { type ApiVersion, inOrder } from "#src/standard/api-version.ts";
import {
  authDate,
  idempotencyKeyV3,
  printableInteractionId,
} from "#src/standard/shared/header-forms.ts";
import { v3PaymentErrors } from "#src/standard/shared/v3/error-response.ts";

// a POST that creates nothing
const withoutKey: ReadonlySet<string> = new Set(["domesticVrpConsentsFundsConfirmation"]);

/**
 * Payment Initiation v3.1, at the patch 3.1.11. The bank serves only variable recurring payments on
 * it. No step checks the version of the token's consent: the operations themselves refuse a consent
 * of v4.0 with 400. Source: V-172.
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
  headers: { interactionId: printableInteractionId, authDate, idempotencyKey: idempotencyKeyV3 },
  errors: v3PaymentErrors,
  wrongGrant: 403,
  // the published file declares 409 for the operations with a key, and no 422
  keyConflict: 409,
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
  declaredStatuses: ({ operationId, method }) => [
    ...[400, 401, 403, 405, 406, 415, 429, 500],
    ...(method === "POST" && !withoutKey.has(operationId) ? [409] : []),
  ],
};
