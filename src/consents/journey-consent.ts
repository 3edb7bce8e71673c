import { keepRecent } from "#src/lib/recent.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import {
  type Consent,
  type ConsentBody,
  type ConsentRow,
  consentColumnsWith,
  consentOfRow,
} from "./consent.ts";
import { type ConsentCourse, nextConsentStatus } from "./states.ts";

/** The consent of a journey. Its TPP may have deleted it in the meantime. */
export type JourneyConsent = Consent & {
  deletedAt: Temporal.Instant | null;
  /** When its customer last authorised it; null if it has never been authorised. */
  authenticatedAt: Temporal.Instant | null;
  /**
   * Whether an authorisation from before the journey is in use, or was until the next one replaced
   * it. After the customer has stopped it, the journey's approval renews nothing.
   */
  isInUse: boolean;
};

/** A row of `journeyConsent`. */
export type JourneyConsentRow = Omit<ConsentRow<JourneyConsent>, "body"> & { body: string };

/** SQL: a consent, even if it was deleted, for other rooms to join to a journey begun `at`. */
export const journeyConsent = (consentId: Sql, at: Sql): Sql => sql`
  select ${consentColumnsWith(sql`body::text`)}, deleted_at as "deletedAt",
    authenticated_at as "authenticatedAt", exists (
      select from consent_authorisation a
      where a.consent_id = consent.consent_id and a.authorised_at < ${at}
        and (a.ended_at is null or a.ending = 'replaced' and a.ended_at >= ${at})) as "isInUse"
  from consent
  where consent_id = ${consentId}`;

// Each request of a journey loads the same body. Payment kinds cache the request that they read
// from a body, with the body object as the key, so equal bodies share one object.
const bodyOf = keepRecent(
  { values: 500, textLength: 4000 },
  (text) => JSON.parse(text) as ConsentBody,
);

/** Makes the consent of a row. Requests with equal bodies share one frozen body object. */
export const journeyConsentOf = <Row extends JourneyConsentRow>(row: Row): JourneyConsent =>
  consentOfRow<JourneyConsent>({ ...row, body: bodyOf(row.body) });

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
