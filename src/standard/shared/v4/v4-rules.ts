import type {
  ApiVersion,
  ApiVersionId,
  ConsentRules,
  ConsentStatus,
} from "#src/standard/api-version.ts";
import {
  authDate,
  idempotencyKeyV4,
  uuidInteractionId,
} from "#src/standard/shared/header-forms.ts";
import { v4Errors } from "./error-response.ts";
import { renderStatusReason } from "./status-reason.ts";

/** The words of v4 for the statuses of consents, which are ours. */
const words: Readonly<Record<ConsentStatus, string>> = {
  AWUP: "AWUP",
  AWAU: "AWAU",
  AUTH: "AUTH",
  RJCT: "RJCT",
  COND: "COND",
  CANC: "CANC",
  EXPD: "EXPD",
};

/** The rules of a v4 API for consents that were created on these versions. */
export const v4Consents = (...serves: ApiVersionId[]): ConsentRules => ({
  words,
  renderReason: renderStatusReason,
  serves: new Set(serves),
});

/** The rules that the v4 APIs with signed requests share. */
export const v4Signed: Pick<ApiVersion, "headers" | "errors" | "wrongGrant"> = {
  headers: { interactionId: uuidInteractionId, authDate, idempotencyKey: idempotencyKeyV4 },
  errors: v4Errors,
  wrongGrant: 403,
};
