import type { KindId } from "#src/standard/kind-id.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { type Consent, consentColumns } from "./consent.ts";

/** A consent that a customer has authorised, and when it was deleted, if it was. */
export type SharedAccess = Consent & { deletedAt: Temporal.Instant | null };

/**
 * SQL: the consents of some kinds that a customer has authorised, as rows of `SharedAccess`: those
 * in use, and those that ended since a given time. Other rooms use it as a table.
 */
export const sharedAccess = (
  customerId: string,
  kinds: readonly KindId[],
  since: Temporal.Instant,
): Sql => sql`(
  select ${consentColumns}, deleted_at as "deletedAt" from consent
  where customer_id = ${customerId} and kind = any(${[...kinds]}::text[])
    and authorised_at is not null
    and (status = 'AUTH' and deleted_at is null or status_updated_at >= ${since}
      or deleted_at >= ${since}))`;

/**
 * SQL: a consent that a customer has authorised, in use or not, or has tried to, as a row of
 * `SharedAccess`.
 */
export const sharedConsent = (consentId: string): Sql => sql`(
  select ${consentColumns}, deleted_at as "deletedAt" from consent
  where consent_id = ${consentId} and (authorised_at is not null
    or exists (select from consent_attempt a where a.consent_id = ${consentId})))`;
