import type { Evidence } from "#src/consents/consent.ts";

/** The evidence of an authorisation that no journey made. */
export const evidence: Evidence = {
  acr: "urn:openbanking:psd2:sca",
  amr: ["pwd", "otp"],
  challengeId: "challenge",
  shownHash: "hash",
};
