import { type ApiVersion, inOrder } from "#src/standard/api-version.ts";
import { declaredStatuses } from "#src/standard/shared/funds/declared-statuses.ts";
import {
  authDate,
  idempotencyKeyV3,
  printableInteractionId,
} from "#src/standard/shared/header-forms.ts";
import { v3Errors } from "#src/standard/shared/v3/error-response.ts";

/**
 * Confirmation of Funds v3.1, at the patch 3.1.11. No step checks the version of the token's
 * consent: the operations themselves refuse a consent of v4.0 with 400. Source: C-102.
 */
export const cbpiiV31: ApiVersion = {
  id: "cbpii-v3.1",
  title: "Confirmation of Funds",
  release: "3.1.11",
  basePath: "/api/open-banking/v3.1/cbpii",
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
  headers: { interactionId: printableInteractionId, authDate, idempotencyKey: idempotencyKeyV3 },
  errors: v3Errors,
  wrongGrant: 403,
  consents: {
    // v3.1 has a status for a consent revoked at the bank, but none for an expired one. Source:
    // C-103, C-104
    words: {
      AWUP: "AwaitingAuthorisation",
      AWAU: "AwaitingAuthorisation",
      RJCT: "Rejected",
      AUTH: "Authorised",
      COND: "Authorised",
      CANC: "Revoked",
      EXPD: "Authorised",
    },
    renderReason: null,
    serves: new Set(["cbpii-v3.1"]),
  },
  declaredStatuses,
};
