import type { Evidence } from "#src/consents/consent.ts";

/** Evidence for an authorisation without a journey. */
export const evidence: Evidence = {
  acr: "urn:openbanking:psd2:sca",
  amr: ["pwd", "otp"],
  challengeId: "challenge",
  shownHash: "hash",
};
