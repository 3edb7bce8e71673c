import type { ApiVersion, ConsentStatus } from "#src/standard/api-version.ts";
import {
  authDate,
  idempotencyKeyV3,
  printableInteractionId,
} from "#src/standard/shared/header-forms.ts";

/** The headers of the v3.1 APIs, which Account Information v4.0 and others have kept. */
export const v3Headers: ApiVersion["headers"] = {
  interactionId: printableInteractionId,
  authDate,
  idempotencyKey: idempotencyKeyV3,
};

/**
 * The words of v3.1 for the statuses of consents that no order uses up. There is no word for
 * consents that have expired.
 */
export const v3AccessWords: Readonly<Record<ConsentStatus, string>> = {
  AWUP: "AwaitingAuthorisation",
  AWAU: "AwaitingAuthorisation",
  RJCT: "Rejected",
  AUTH: "Authorised",
  COND: "Authorised",
  CANC: "Authorised",
  EXPD: "Authorised",
};
