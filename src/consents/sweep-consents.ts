import { byClock, changed, historyDeletion, type Why } from "#src/history/change.ts";
import { inBatches } from "#src/storage/batches.ts";
import type { Queryable } from "#src/storage/database.ts";
import { integer } from "#src/storage/prepared.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { Consent } from "./consent.ts";
import { setStatus } from "./set-status.ts";
import { type ConsentCourse, statusesBefore } from "./states.ts";
import { statusReasons } from "./status-reasons.ts";

const { expired: expiredReason, unanswered: unansweredReason } = statusReasons;

/**
 * Rejects payment and access consents that have waited too long for their customer. Returns how
 * many. Source: P-118.
 */
export function rejectOverdueConsents(
  on: Queryable,
  now: Temporal.Instant,
  lifetimeSeconds: number,
): Promise<number> {
  const last = now.subtract({ seconds: lifetimeSeconds });
  return inBatches(
    on,
    (limit) => sql`
      update consent set ${setStatus("RJCT", "ended")}, status_updated_at = ${now},
        status_reason = ${JSON.stringify([unansweredReason])}::json, ${changed(byClock(now))}
      where consent_id in (
        select consent_id from consent where waits_since <= ${last}
        order by waits_since limit ${limit} for update skip locked)
      returning consent_id`,
  );
}

/**
 * Ends consents whose expiry has passed, as of their expiry. Those that a customer has authorised
 * become EXPD, which ends their authorisations. Those that still await a customer are rejected.
 * Returns how many. Source: A-108, E-012, V-061.
 */
export const expireConsents = (on: Queryable, now: Temporal.Instant): Promise<number> =>
  inBatches(
    on,
    (limit) => sql`
      update consent set status_updated_at = expires_at,
        ${setStatus(sql`case when waits_since is null then 'EXPD' else 'RJCT' end`, "ended")},
        status_reason = case when waits_since is null
          then ${JSON.stringify([expiredReason])}::json
          else ${JSON.stringify([unansweredReason])}::json end,
        ${changed(byClock(now))}
      where consent_id in (
        select consent_id from consent where lapses_at <= ${now}
        order by lapses_at limit ${limit} for update skip locked)
      returning consent_id`,
  );

/**
 * Ends a consent that a customer has authorised, as if its time were over. Returns false if its
 * status does not allow that.
 */
export async function expireNow(
  on: Queryable,
  { consentId }: Pick<Consent, "consentId">,
  course: ConsentCourse,
  why: Why,
): Promise<boolean> {
  const before = statusesBefore(course, "expire").filter((status) => status !== "AWAU");
  const rows = await on.query(sql`
    update consent set ${setStatus("EXPD", "ended")}, status_updated_at = ${why.at},
      status_reason = ${JSON.stringify([expiredReason])}::json, ${changed(why)}
    where consent_id = ${consentId} and deleted_at is null and status = any(${before}::text[])
    returning consent_id`);
  return rows.length === 1;
}

// Fewer than in other batches, because files are deleted too and may be large.
const purgeBatch = 100;

/**
 * Deletes consents that were created before the given time, were never authorised and can no longer
 * be, together with their history. `belongings` make the statements that delete what other rooms
 * have stored for them, given a query of consent ids. Returns the number of consents. None of them
 * has an order.
 */
export function purgeUnauthorisedConsents(
  on: Queryable,
  before: Temporal.Instant,
  belongings: readonly ((consentIds: Sql) => Sql)[],
): Promise<number> {
  const ids = sql`select consent_id from gone`;
  const others = belongings.reduce(
    (all, of, index) => sql`${all} other_${integer(index)} as (${of(ids)}),`,
    sql``,
  );
  return inBatches(
    on,
    (limit) => sql`
      with gone as materialized (
        select consent_id from consent
        where authorised_at is null and created_at <= ${before}
          and waits_since is null and status in ('AWUP', 'AWAU', 'RJCT')
        order by created_at limit ${limit} for update skip locked),
      ${others}
      history as (${historyDeletion(ids)})
      delete from consent where consent_id in (${ids})
      returning consent_id`,
    purgeBatch,
  );
}
