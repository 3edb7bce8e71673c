import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type Finished, deliveryLimits as limits } from "./delivery.ts";
import type { UnsentEvent } from "./event-set.ts";
import { lockedEvents } from "./lock-events.ts";

/** An event that this process sends. */
export type ClaimedEvent = UnsentEvent & { callbackUrl: string; attempts: number };

/** The claim of a process: for how many events, and when. */
type Claim = { processId: string; places: number; now: Temporal.Instant };

/**
 * Claims due events for a process to send. While one process has claimed events of a TPP, no other
 * process claims events of this TPP, so all processes together keep the limit of requests per TPP.
 * Only the oldest waiting event of each object is claimed, so that events arrive in order. Source:
 * EV-21.
 */
export async function claimEvents(database: Database, claim: Claim): Promise<ClaimedEvent[]> {
  const { places, now } = claim;
  if (places <= 0) return [];
  // checked without a lock, because usually no event is due
  const row = await first<{ isDue: boolean }>(
    database,
    sql`select exists (select from event_subscription s where ${hasDue(now)}) as "isDue"`,
  );
  if (!row?.isDue) return [];
  return database.transaction(async (on) => {
    const open = await on.query<{ clientId: string }>(sql`
      select s.client_id as "clientId" from event_subscription s where ${hasDue(now)}
      order by s.client_id for update skip locked`);
    const clients = open.map(({ clientId }) => clientId);
    return clients.length === 0 ? [] : claimOf(on, clients, claim);
  });
}

/** Whether a registration `s` has an event to send. */
const hasDue = (now: Temporal.Instant) => sql`
  s.callback_url is not null and (s.status = 'active' or s.probe_at <= ${now})
  and exists (select from event e where e.client_id = s.client_id and e.state = 'waiting'
    and e.next_try_at <= ${now})`;

// runs after the locks are taken, so that it sees the events that other processes have claimed
const claimOf = (
  on: Queryable,
  clients: readonly string[],
  { processId, places, now }: Claim,
): Promise<ClaimedEvent[]> =>
  on.query<ClaimedEvent>(sql`
    with room as (
      select s.client_id, s.callback_url, s.since, s.failing_since is not null as is_failing,
        case when claimed.by_others > 0 then 0
          when s.failing_since is null then ${limits.claimsPerTpp}::int
          else ${limits.perFailingTpp}::int end - claimed.by_this as places
      from event_subscription s
      cross join lateral (
        select count(*) filter (where e.sent_by = ${processId}) as by_this,
          count(*) filter (where e.sent_by <> ${processId}) as by_others
        from event e where e.client_id = s.client_id and e.state = 'waiting'
          and e.sent_by is not null and e.next_try_at > ${now}
      ) claimed
      where s.client_id = any(${clients}::text[])
    ), chosen as (
      select e.jti, r.callback_url
      from room r
      cross join lateral (
        select e.jti from event e
        where e.client_id = r.client_id and e.state = 'waiting' and e.next_try_at <= ${now}
          and e.occurred_at >= r.since and not exists (
            select from event p
            where p.client_id = e.client_id and p.object_id = e.object_id
              and p.change_sequence < e.change_sequence and p.state = 'waiting')
        order by e.next_try_at, e.sequence limit greatest(r.places, 0) for update skip locked
      ) e
      order by r.is_failing, random() limit ${places}::int
    )
    update event e set sent_by = ${processId}, attempts = e.attempts + 1,
      next_try_at = ${now.add({ seconds: limits.leaseSeconds })}
    from chosen c where e.jti = c.jti
    returning e.jti, e.client_id as "clientId", e.facts, e.occurred_at as "occurredAt", e.token,
      e.attempts, c.callback_url as "callbackUrl"`);

/** An event or an endpoint of a TPP that needs an operator's attention. */
export type Trouble = {
  clientId: string;
  jti: string;
  /** True if the endpoint has become unresponsive; false if only the event is undelivered. */
  isUnresponsive: boolean;
  error: Finished["error"];
};

/**
 * Stores the outcomes of tries, and returns the events and endpoints that need attention. An
 * outcome is ignored if the event has changed since, for example because the lease expired and
 * another process sent the event. If the last try of an event fails, its endpoint becomes
 * unresponsive. If the endpoint has accepted other events in the meantime, only this event becomes
 * undelivered. When an unresponsive endpoint accepts an event, all its waiting events are sent.
 * Source: EV-10, EV-19.
 */
export const settleEvents = (
  on: Queryable,
  finished: readonly Finished[],
  time: Temporal.Instant,
): Promise<Trouble[]> => {
  const now = sql`${time}::timestamptz`;
  const probe = sql`${time.add({ hours: limits.probeHours })}::timestamptz`;
  return on.query<Trouble>(sql`
    with given as (
      select g.jti, g.attempts, g.outcome, g.wait, g.error
      from json_to_recordset(${JSON.stringify(finished)}::json)
        as g(jti text, attempts int, outcome text, wait float, error json)
    ), endpoint as materialized (
      -- endpoints are locked before events, as in every statement that locks both
      select s.client_id, s.status, s.failing_since from event_subscription s
      where s.client_id in (select e.client_id from event e join given g on g.jti = e.jti)
      order by s.client_id for update
    ), tried as (
      select e.jti, e.client_id, e.attempts, g.outcome, g.error, p.failing_since,
        p.status as endpoint_status, coalesce(e.first_failed_at, ${now}) as first_failed_at,
        ${now} + g.wait * interval '1 second' as next_try_at,
        bool_or(g.outcome = 'accepted') over (partition by e.client_id) as has_accepted
      from given g
      join event e on e.jti = g.jti
      join endpoint p on p.client_id = e.client_id
      where ${isCurrent(sql`g.attempts`)}
    ), judged as (
      select t.*, t.outcome = 'failed' and (t.attempts >= ${limits.tries}::int
          or t.next_try_at > t.first_failed_at + ${limits.hours}::int * interval '1 hour')
          as is_last,
        t.has_accepted or t.failing_since is null and t.attempts > 1
          or t.failing_since > t.first_failed_at as accepts_others
      from tried t
    ), ended as (
      select j.*, case when j.outcome = 'accepted' then 'accepted'
          when j.outcome = 'refused' or j.is_last and j.accepts_others then 'undelivered'
          else 'waiting' end as state,
        j.outcome = 'gone' or j.is_last and not j.accepts_others as is_unresponsive
      from judged j
    ), endpoints as (
      select client_id, bool_or(has_accepted) as accepts,
        bool_or(is_unresponsive) as is_unresponsive,
        bool_or(outcome in ('failed', 'gone')) as fails
      from ended group by client_id
    ), locked as materialized (
      -- the count is evaluated first, so that the endpoints are locked before any event
      ${lockedEvents(sql`
        (select count(*) from endpoints) > 0
        and (e.jti = any(${finished.map(({ jti }) => jti)}::text[])
          or e.state = 'waiting' and e.client_id = any(array(
            select p.client_id from endpoint p join endpoints d on d.client_id = p.client_id
            where p.status = 'unresponsive' and d.accepts)))`)}
    ), written as (
      update event e set state = d.state, sent_by = null, error = d.error,
        attempts = e.attempts - case when d.outcome = 'stopped' then 1 else 0 end,
        next_try_at = d.next_try_at,
        first_failed_at = case when d.outcome in ('failed', 'gone') then d.first_failed_at
          else e.first_failed_at end,
        settled_at = case when d.state = 'accepted' then ${now} end
      from ended d join locked l on l.jti = d.jti
      where e.jti = d.jti and ${isCurrent(sql`d.attempts`)}
    ), changed as (
      update event_subscription s set
        status = case when d.accepts then 'active'
          when d.is_unresponsive then 'unresponsive' else s.status end,
        failing_since = case when d.accepts then null
          when d.fails then coalesce(s.failing_since, ${now}) else s.failing_since end,
        probe_at = case when d.accepts then null
          when d.is_unresponsive or s.status = 'unresponsive' and d.fails
            then ${probe} else s.probe_at end
      from endpoints d
      where s.client_id = d.client_id and s.callback_url is not null
        and (d.fails or d.accepts and s.failing_since is not null)
    ), revived as (
      update event e set next_try_at = ${now}, attempts = 0, first_failed_at = null
      from locked l
      where e.jti = l.jti and e.state = 'waiting' and e.sent_by is null
        and e.jti not in (select g.jti from given g)
    )
    select d.client_id as "clientId", d.jti, d.is_unresponsive as "isUnresponsive", d.error
    from ended d
    where d.state = 'undelivered' or d.is_unresponsive and d.endpoint_status = 'active'`);
};

/** Whether the try with this number of attempts is still the current one of an event `e`. */
const isCurrent = (attempts: ReturnType<typeof sql>) =>
  sql`e.state = 'waiting' and e.sent_by is not null and e.attempts = ${attempts}`;
