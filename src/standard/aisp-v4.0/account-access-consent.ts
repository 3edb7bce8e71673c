import Type from "typebox";
import {
  consentResponse,
  openConsentRequest,
} from "#src/standard/shared/accounts/account-access-consent.ts";
import { open, text } from "#src/standard/shared/schema.ts";

const statusReason = open(
  {
    StatusReasonCode: Type.Optional(text(4)),
    StatusReasonDescription: Type.Optional(text(500)),
    Path: Type.Optional(text(500)),
  },
  { title: "OBStatusReason" },
);

/** The bodies of a consent to account access. Source: OBReadConsent1, OBReadConsentResponse1. */
export const accountAccessConsent = {
  request: openConsentRequest,
  // an array, even of one reason. Source: E-016
  response: consentResponse(["AUTH", "AWAU", "CANC", "EXPD", "RJCT"], {
    StatusReason: Type.Optional(Type.Array(statusReason)),
  }),
};
