import type { Consent, StatusReason } from "./consent.ts";
import { type ConsentCourse, nextConsentStatus } from "./states.ts";

/** Why a consent was rejected that waited too long for its customer. Source: V-061. */
export const unansweredReason: StatusReason = {
  StatusReasonCode: "U036",
  StatusReasonDescription: "The customer did not authorise in time.",
};

/** The status reason of an expired consent. Source: E-012. */
export const expiredReason: StatusReason = {
  StatusReasonCode: "TKXP",
  StatusReasonDescription: "The access that the customer granted has expired.",
};

/** Whether the time until which a consent asks for access has passed. */
export const hasExpired = (
  { expiresAt }: Pick<Consent, "expiresAt">,
  now: Temporal.Instant,
): boolean => expiresAt !== null && Temporal.Instant.compare(expiresAt, now) <= 0;

/**
 * A consent as it is now: if its time has passed, it has expired, or is rejected if no customer has
 * authorised it, even if no sweep has stored that. Source: E-012, C-055, V-096.
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
    statusReason: [status === "EXPD" ? expiredReason : unansweredReason],
    statusUpdatedAt: consent.expiresAt,
  };
}
