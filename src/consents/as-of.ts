import type { Consent } from "./consent.ts";
import { type ConsentCourse, nextConsentStatus } from "./states.ts";
import { statusReasons } from "./status-reasons.ts";

/** Whether the expiry of a consent has passed, whatever its status. */
export const hasExpired = (
  { expiresAt }: Pick<Consent, "expiresAt">,
  now: Temporal.Instant,
): boolean => expiresAt !== null && Temporal.Instant.compare(expiresAt, now) <= 0;

/**
 * Returns a consent as it is now. After its expiry it is expired, or rejected if no customer has
 * authorised it, even if no sweep has stored that yet. Source: E-012, C-055, V-096.
 */
export function asOf<Shown extends Pick<Consent, "expiresAt" | "status" | "statusReason">>(
  course: ConsentCourse,
  consent: Shown,
  now: Temporal.Instant,
): Shown {
  const status = nextConsentStatus(course, consent.status, "expire");
  if (status === null || !hasExpired(consent, now)) return consent;
  return {
    ...consent,
    status,
    statusReason: [status === "EXPD" ? statusReasons.expired : statusReasons.unanswered],
    statusUpdatedAt: consent.expiresAt,
  };
}
