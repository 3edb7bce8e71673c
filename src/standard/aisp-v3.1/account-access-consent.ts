import {
  closedConsentRequest,
  consentResponse,
} from "#src/standard/shared/accounts/account-access-consent.ts";

/** The bodies of a consent to account access. Source: OBReadConsent1, OBReadConsentResponse1. */
export const accountAccessConsent = {
  request: closedConsentRequest,
  // only consents made before v3.1.5 are Revoked. Source: A-104
  response: consentResponse(["Authorised", "AwaitingAuthorisation", "Rejected", "Revoked"], {}),
};
