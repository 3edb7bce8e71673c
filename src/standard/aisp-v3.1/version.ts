import { type ApiVersion, inOrder } from "#src/standard/api-version.ts";
import { declaredStatuses } from "#src/standard/shared/accounts/declared-statuses.ts";
import {
  authDate,
  idempotencyKeyV3,
  printableInteractionId,
} from "#src/standard/shared/header-forms.ts";
import { v3Errors } from "#src/standard/shared/v3/error-response.ts";

/** Account Information v3.1, at the patch 3.1.11. */
export const aispV31: ApiVersion = {
  id: "aisp-v3.1",
  title: "Account Information",
  release: "3.1.11",
  basePath: "/api/open-banking/v3.1/aisp",
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
  headers: { interactionId: printableInteractionId, authDate, idempotencyKey: idempotencyKeyV3 },
  errors: v3Errors,
  wrongGrant: 401,
  consents: {
    // v3.1 has no word for consents that were revoked at the bank or have expired
    words: {
      AWUP: "AwaitingAuthorisation",
      AWAU: "AwaitingAuthorisation",
      RJCT: "Rejected",
      AUTH: "Authorised",
      COND: "Authorised",
      CANC: "Authorised",
      EXPD: "Authorised",
    },
    renderReason: null,
    serves: new Set(["aisp-v3.1"]),
  },
  declaredStatuses,
};
