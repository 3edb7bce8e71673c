import { actToConfirm } from "#src/consents/approved-facts.ts";
import type { Evidence } from "#src/consents/consent.ts";
import { newShowing, type Showing } from "#src/consents/showing.ts";

/** What a customer was shown, and has approved with a challenge. */
export const shownWith = (challengeId: string): Showing => ({
  ...newShowing({
    step: "factor",
    way: "page",
    at: Temporal.Instant.from("2026-01-01T00:00:00Z"),
    shown: { act: "login" },
    act: actToConfirm({ act: "login" }, {}),
  }),
  answer: { at: "2026-01-01T00:00:00Z", decision: "approve", challengeId },
});

/** Evidence for an authorisation without a journey. */
export const evidence: Evidence = {
  acr: "urn:openbanking:psd2:sca",
  amr: ["pwd", "otp"],
  method: "code",
  answeredAt: Temporal.Instant.from("2026-01-01T00:00:00Z"),
  showings: [],
};
