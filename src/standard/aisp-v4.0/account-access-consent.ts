import Type from "typebox";
import {
  consentResponse,
  openConsentRequest,
} from "#src/standard/shared/accounts/account-access-consent.ts";
import { statusReasons } from "#src/standard/shared/v4/status-reason.ts";

/** The bodies of a consent to account access. Source: OBReadConsent1, OBReadConsentResponse1. */
export const accountAccessConsent = {
  request: openConsentRequest,
  response: consentResponse(["AUTH", "AWAU", "CANC", "EXPD", "RJCT"], {
    StatusReason: Type.Optional(statusReasons),
  }),
};
