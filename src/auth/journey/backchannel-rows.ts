import { challengeEnding } from "#src/auth/login/challenges.ts";
import { identifierReturn } from "#src/auth/provider/backchannel-hints.ts";
import type { JourneyTimes } from "#src/auth/provider/clock-note.ts";
import { clientName } from "#src/clients/client-name.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { Beginning } from "./journey-row.ts";

// The rows of journeys that TPPs begin without a browser.

/**
 * Makes the statement that stores a journey which no browser has begun, at a step, in the bank's
 * app. Returns no row if another one of the same consent goes on.
 */
export const backchannelCreation = (begun: Beginning & { customerId: string | null }): Sql => sql`
  insert into journey (uid, consent_id, client_id, software_name, on_behalf_of, step, created_at,
    expires_at, ends_by, interaction, customer_id, is_in_app)
  select ${begun.uid}, ${begun.consentId}, ${begun.clientId}, n."softwareName", n."onBehalfOf",
    ${begun.step}, ${begun.now}::timestamptz, ${begun.expiresAt}::timestamptz,
    ${begun.expiresAt}::timestamptz, ${begun.interaction}::json, ${begun.customerId}::text, true
  from (${clientName(sql`${begun.clientId}`)}) n
  on conflict do nothing returning uid`;

// longer than the core takes to ask a customer
const askingSeconds = 60;

/**
 * Deletes journeys that a hint has begun a minute ago, and whose customer has not been asked,
 * because the process has stopped. The client has no answer, and can send the request again, with
 * the same identifier.
 */
export const discardUnasked = async (
  on: Queryable,
  step: string,
  now: Temporal.Instant,
): Promise<void> => {
  const before = now.subtract({ seconds: askingSeconds });
  await on.query(sql`
    with gone as (delete from journey
        where ends_by is not null and outcome is null and step = ${step}
          and customer_id is not null and created_at <= ${before} returning uid),
      returned as (${identifierReturn(sql`select uid from gone`)})
    select from gone`);
};

/**
 * Deletes a journey that could not begin, ends its challenge if it has one, and gives its
 * identifier back. Nothing happens to its consent. Returns false, and deletes nothing, if the
 * journey has ended or its customer has answered.
 */
export async function discardJourney(
  on: Queryable,
  uid: string,
  now: Temporal.Instant,
): Promise<boolean> {
  await on.query(sql`
    with gone as (delete from journey
        where uid = ${uid} and outcome is null and authentication is null
        returning uid, challenge_id),
      returned as (${identifierReturn(sql`select uid from gone`)}),
      closed as (${challengeEnding(sql`select challenge_id from gone`, now)})
    select from gone`);
  const left = await on.query(sql`select uid from journey where uid = ${uid}`);
  return left.length === 0;
}

/**
 * The journeys that no browser has begun, and that go on: those of a consent or of a challenge, or
 * all whose customer has been asked.
 */
export async function listBackchannelJourneys(
  on: Queryable,
  of: { consentId: string } | { challengeId: string } | null,
): Promise<string[]> {
  const condition =
    of === null
      ? sql`challenge_id is not null`
      : "consentId" in of
        ? sql`consent_id = ${of.consentId}`
        : sql`challenge_id = ${of.challengeId}`;
  const rows = await on.query<{ uid: string }>(sql`
    select uid from journey where ends_by is not null and outcome is null and ${condition}
    order by created_at limit 500`);
  return rows.map(({ uid }) => uid);
}

/** The journey of a request: its challenge, and how it has ended; null while it goes on. */
export type RequestRow = {
  uid: string;
  clientId: string;
  consentId: string;
  challengeId: string | null;
} & JourneyTimes;

/** Finds the journey of a request by the hash of its id. */
export const findRequest = (on: Queryable, idHash: string): Promise<RequestRow | undefined> =>
  first<RequestRow>(
    on,
    sql`select j.uid, j.client_id as "clientId", j.consent_id as "consentId",
        j.challenge_id as "challengeId", j.outcome, j.created_at as "createdAt",
        j.expires_at as "expiresAt"
      from backchannel_request r join journey j on j.uid = r.uid where r.id_hash = ${idHash}`,
  );

/** Ends the time of a journey that goes on, and of its request. */
export const endTime = async (on: Queryable, uid: string, now: Temporal.Instant): Promise<void> => {
  await on.query(sql`
    with over as (
      update journey set expires_at = ${now}, ends_by = ${now}
      where uid = ${uid} and outcome is null returning uid
    )
    update backchannel_request r set expires_at = ${now}::timestamptz
    from over where r.uid = over.uid`);
};

/**
 * Counts the requests without a browser that a client has begun for a customer since then, and
 * since the customer's last approval of one.
 */
export async function countUnapproved(
  on: Queryable,
  { clientId, customerId }: { clientId: string; customerId: string },
  since: Temporal.Instant,
): Promise<number> {
  const row = await first<{ count: number }>(
    on,
    sql`with asked as (
        select created_at, outcome from journey
        where customer_id = ${customerId} and client_id = ${clientId} and ends_by is not null
          and created_at > ${since})
      select count(*)::integer as count from asked
      where created_at > coalesce(
        (select max(created_at) from asked where outcome = 'approved'), ${since})`,
  );
  return row?.count ?? 0;
}

/**
 * Counts the open requests without a browser: those of all clients for a customer, or those of a
 * client whose customer has not scanned the consent's id yet.
 */
export async function countOpen(
  on: Queryable,
  of: { customerId: string } | { unscannedOf: string },
  now: Temporal.Instant,
): Promise<number> {
  const condition =
    "customerId" in of
      ? sql`customer_id = ${of.customerId}`
      : sql`client_id = ${of.unscannedOf} and customer_id is null`;
  const row = await first<{ count: number }>(
    on,
    sql`select count(*)::integer as count from journey
      where ends_by is not null and outcome is null and ends_by > ${now} and ${condition}`,
  );
  return row?.count ?? 0;
}

/** Waits for other transactions that count the requests of this subject, and begins its turn. */
export async function lockRequests(on: Queryable, subject: string): Promise<void> {
  await on.query(sql`select pg_advisory_xact_lock(hashtext(${`backchannel ${subject}`}))::text`);
}
