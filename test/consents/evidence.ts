import type { Evidence } from "#src/consents/consent.ts";

/** Evidence for an authorisation without a journey. */
export const evidence: Evidence = {
  acr: "urn:openbanking:psd2:sca",
  amr: ["pwd", "otp"],
  method: "code",
  answeredAt: Temporal.Instant.from("2026-01-01T00:00:00Z"),
  shown: { act: "login" },
  challengeId: "challenge",
  shownHash: "hash",
};
