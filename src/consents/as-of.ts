import type { Consent } from "./consent.ts";
import { type ConsentCourse, nextConsentStatus } from "./states.ts";
import { expiredReason } from "./sweep-consents.ts";

/**
 * A consent as it is now: it is expired if its time has passed, even if no sweep has stored that.
 * Source: E-012, C-055, V-096.
 */
export function asOf<Shown extends Pick<Consent, "expiresAt" | "status" | "statusReason">>(
  course: ConsentCourse,
  consent: Shown,
  now: Temporal.Instant,
): Shown {
  const { expiresAt, status } = consent;
  if (expiresAt === null || Temporal.Instant.compare(expiresAt, now) > 0) return consent;
  if (nextConsentStatus(course, status, "expire") === null) return consent;
  return {
    ...consent,
    status: "EXPD",
    statusReason: [expiredReason],
    statusUpdatedAt: expiresAt,
  };
}
