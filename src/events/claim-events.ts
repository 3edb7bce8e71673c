import type { Database, Queryable } from "#src/storage/database.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { deliveryLimits as limits } from "./delivery.ts";
import type { UnsentEvent } from "./sign-events.ts";

/** An event that this process sends now. */
export type ClaimedEvent = UnsentEvent & { callbackUrl: string; attempts: number };

/**
 * Claims up to `places` due events for this process to send. Only the oldest waiting event of each
 * object is claimed, so that events arrive in order. The registrations are locked, so that all
 * processes together keep the limit per TPP. Source: EV-21.
 */
export async function claimEvents(
  database: Database,
  places: number,
  now: Temporal.Instant,
): Promise<ClaimedEvent[]> {
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
    return clients.length === 0 ? [] : claimOf(on, clients, places, now);
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
  places: number,
  now: Temporal.Instant,
): Promise<ClaimedEvent[]> =>
  on.query<ClaimedEvent>(sql`
    with room as (
      select s.client_id, s.callback_url, s.since, s.failing_since is not null as is_failing,
        case when s.failing_since is null then ${limits.perTpp}::int
          else ${limits.perFailingTpp}::int end - (
          select count(*) from event e where e.client_id = s.client_id and e.state = 'waiting'
            and e.is_sending and e.next_try_at > ${now}) as places
      from event_subscription s where s.client_id = any(${clients}::text[])
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
    update event e set is_sending = true, attempts = e.attempts + 1,
      next_try_at = ${now.add({ seconds: limits.leaseSeconds })}
    from chosen c where e.jti = c.jti
    returning e.jti, e.client_id as "clientId", e.facts, e.occurred_at as "occurredAt", e.token,
      e.attempts, c.callback_url as "callbackUrl"`);
