import type { Database, Queryable } from "#src/storage/database.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { deliveryLimits as limits } from "./delivery.ts";
import type { UnsentEvent } from "./sign-events.ts";

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
