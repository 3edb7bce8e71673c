import type { Poll } from "#src/standard/shared/events/polling.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type SigningDeps, signEvents, type UnsentEvent } from "./event-set.ts";
import { lockedEvents } from "./lock-events.ts";

/** Whether the TPP can still acknowledge or refuse an event. */
const isOpen = sql`e.state in ('waiting', 'undelivered')`;

/**
 * Whether a poll returns an event `e` of a registration `s`. If the registration has a callback
 * URL, an event can be polled once sending it there has failed, or if the endpoint is unresponsive.
 * Source: EV-19; event subscription profile, Aggregated Polling.
 */
const isPollable = sql`e.state in ('waiting', 'undelivered') and (s.callback_url is null
  or s.status = 'unresponsive' or e.state = 'undelivered' or e.first_failed_at is not null)`;

/** The signed events that a poll gets, oldest first. */
export type Polled = { sets: Record<string, string>; moreAvailable: boolean };

/**
 * Ends the delivery of the events that the TPP acknowledges or refuses, and returns the oldest
 * events that still wait. An id is ignored if the TPP has no waiting event with this id. Source:
 * EV-16, EV-30, EV-31.
 */
export async function pollEvents(
  deps: SigningDeps,
  clientId: string,
  { ack = [], setErrs = {} }: Pick<Poll, "ack" | "setErrs">,
  most: number,
  now: Temporal.Instant,
): Promise<Polled> {
  const refused = Object.keys(setErrs);
  const settled = [...ack, ...refused];
  const named = sql`
    e.client_id = ${clientId} and ${isOpen} and e.jti = any(${settled}::text[])`;
  // in this statement's snapshot, the rows that it settles are still waiting: the query excludes
  // them
  const found = await deps.database.query<UnsentEvent>(sql`
    with named as materialized (${lockedEvents(named)}),
    settled as (
      update event e set settled_at = ${now}, sent_by = null,
        state = case when e.jti = any(${refused}::text[]) then 'refused' else 'accepted' end,
        error = ${JSON.stringify(setErrs)}::json->e.jti
      from named n where e.jti = n.jti and e.jti = any(${settled}::text[]))
    select e.jti, e.client_id as "clientId", e.facts, e.occurred_at as "occurredAt", e.token
    from event e
    join event_subscription s on s.client_id = e.client_id and s.since <= e.occurred_at
    where e.client_id = ${clientId} and ${isPollable} and e.jti <> all(${settled}::text[])
    order by e.sequence limit ${most + 1}::int`);
  const sent = found.slice(0, most);
  const tokens = await signEvents(deps, sent, now);
  return {
    sets: Object.fromEntries(tokens),
    moreAvailable: found.length > most,
  };
}

/** An event that a TPP has refused, with the TPP's reason. */
export type PollRefusal = { clientId: string; jti: string; err: string; description: string };

/**
 * Returns the refusals of a poll at this time. Ids of other TPPs' events, of events that were
 * settled before, and unknown ids are left out.
 */
export async function listRefusals(
  on: Queryable,
  clientId: string,
  setErrs: NonNullable<Poll["setErrs"]>,
  now: Temporal.Instant,
): Promise<PollRefusal[]> {
  const named = Object.keys(setErrs);
  if (named.length === 0) return [];
  return on.query<PollRefusal>(sql`
    select e.client_id as "clientId", e.jti, e.error->>'err' as err,
      e.error->>'description' as description
    from event e
    where e.client_id = ${clientId} and e.jti = any(${named}::text[]) and e.state = 'refused'
      and e.settled_at = ${now}`);
}

/**
 * Returns the TPPs among these that have events to poll. One query serves all waiting requests of a
 * process.
 */
export async function findReady(on: Queryable, clientIds: readonly string[]): Promise<string[]> {
  if (clientIds.length === 0) return [];
  const rows = await on.query<{ clientId: string }>(sql`
    select s.client_id as "clientId" from event_subscription s
    where s.client_id = any(${clientIds}::text[]) and exists (
      select from event e where e.client_id = s.client_id and ${isPollable}
        and s.since <= e.occurred_at)`);
  return rows.map(({ clientId }) => clientId);
}

const retentionDays = 90;

/**
 * Deletes events 90 days after their delivery ended, and unsettled events 90 days after they
 * occurred.
 */
export async function purgeEvents(on: Queryable, now: Temporal.Instant): Promise<void> {
  const before = now.subtract({ hours: retentionDays * 24 });
  for (const old of [sql`e.settled_at < ${before}`, sql`${isOpen} and e.occurred_at < ${before}`]) {
    await on.query(sql`
      with old as materialized (${lockedEvents(old)})
      delete from event e using old o where e.jti = o.jti`);
  }
}
