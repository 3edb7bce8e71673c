import { type Sql, sql } from "#src/storage/sql.ts";
import { type Consent, consentColumns } from "./consent.ts";
import { type ConsentCourse, nextConsentStatus } from "./states.ts";

/** The consent of a journey. Its TPP may have deleted it in the meantime. */
export type JourneyConsent = Consent & { deletedAt: Temporal.Instant | null };

/** SQL: a consent, even if it was deleted, for other rooms to join. */
export const journeyConsent = (consentId: Sql): Sql => sql`
  select ${consentColumns}, deleted_at as "deletedAt" from consent
  where consent_id = ${consentId}`;

/**
 * Whether a customer can authorise a consent. No other customer can after the first authorisation.
 */
export const isAuthorisable = (
  consent: JourneyConsent,
  course: ConsentCourse,
  customerId: string,
): boolean =>
  consent.deletedAt === null &&
  nextConsentStatus(course, consent.status, "authorise") !== null &&
  (consent.customerId === null || consent.customerId === customerId);
