import type { Poll } from "#src/standard/events-v4.0/polling.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { claimsOf, type SetContext, type StoredEvent } from "./event-set.ts";

/** What polls work with. */
export type PollDeps = SetContext & {
  database: Queryable;
  /** Signs the claims of a SET. */
  sign(claims: string): Promise<string>;
};

/** The signed events that a poll gets, oldest first. */
export type Polled = { sets: Record<string, string>; moreAvailable: boolean };

type Waiting = StoredEvent & { token: string | null };

/**
 * Ends the delivery of what the TPP acknowledges or refuses, and returns the oldest events that
 * wait. An id that is not one of the TPP's waiting events is ignored. Source: EV-16, EV-30, EV-31.
 */
export async function pollEvents(
  deps: PollDeps,
  clientId: string,
  { ack = [], setErrs = {} }: Pick<Poll, "ack" | "setErrs">,
  most: number,
  now: Temporal.Instant,
): Promise<Polled> {
  const refused = Object.keys(setErrs);
  const settled = [...ack, ...refused];
  // the rows that this statement settles are still waiting in its snapshot
  const found = await deps.database.query<Waiting>(sql`
    with settled as (
      update event set settled_at = ${now},
        state = case when jti = any(${refused}::text[]) then 'refused' else 'accepted' end,
        error = ${JSON.stringify(setErrs)}::json->jti
      where client_id = ${clientId} and state = 'waiting' and jti = any(${settled}::text[]))
    select e.jti, e.client_id as "clientId", e.facts, e.occurred_at as "occurredAt", e.token
    from event e
    join event_subscription s on s.client_id = e.client_id and s.since <= e.occurred_at
    where e.client_id = ${clientId} and e.state = 'waiting' and e.jti <> all(${settled}::text[])
    order by e.sequence limit ${most + 1}::int`);
  const sent = found.slice(0, most);
  const tokens = await tokensOf(deps, sent, now);
  return {
    sets: Object.fromEntries(sent.map(({ jti, token }) => [jti, token ?? tokens.get(jti) ?? ""])),
    moreAvailable: found.length > most,
  };
}

/**
 * Signs the events that were never sent, and stores them. If another process signed an event at the
 * same time, its token is used: all deliveries have the same bytes.
 */
async function tokensOf(
  deps: PollDeps,
  events: readonly Waiting[],
  now: Temporal.Instant,
): Promise<ReadonlyMap<string, string>> {
  const unsigned = events.filter(({ token }) => token === null);
  if (unsigned.length === 0) return new Map();
  const signed = await Promise.all(
    unsigned.map(async (event) => ({
      jti: event.jti,
      token: await deps.sign(JSON.stringify(claimsOf(event, deps, now))),
    })),
  );
  const rows = await deps.database.query<{ jti: string; token: string }>(sql`
    update event e set token = coalesce(e.token, s.token)
    from json_to_recordset(${JSON.stringify(signed)}::json) as s(jti text, token text)
    where e.jti = s.jti
    returning e.jti, e.token`);
  return new Map(rows.map(({ jti, token }) => [jti, token]));
}

/** Which of these TPPs have events to poll: one query for all waiting requests of a process. */
export async function findReady(on: Queryable, clientIds: readonly string[]): Promise<string[]> {
  if (clientIds.length === 0) return [];
  const rows = await on.query<{ clientId: string }>(sql`
    select s.client_id as "clientId" from event_subscription s
    where s.client_id = any(${clientIds}::text[]) and exists (
      select from event e where e.client_id = s.client_id and e.state = 'waiting'
        and s.since <= e.occurred_at)`);
  return rows.map(({ clientId }) => clientId);
}

const retentionDays = 90;

/** Deletes events whose delivery ended long ago, and those that nobody has polled for as long. */
export async function purgeEvents(on: Queryable, now: Temporal.Instant): Promise<void> {
  const before = now.subtract({ hours: retentionDays * 24 });
  await on.query(sql`delete from event where settled_at < ${before}`);
  await on.query(sql`delete from event where state = 'waiting' and occurred_at < ${before}`);
}
