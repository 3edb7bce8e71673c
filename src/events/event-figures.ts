import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** The way in which TPPs receive events. */
type EventWay = "callback" | "polling";

/** The events of all TPPs that receive events in one way, for metrics. */
export type EventFigures = {
  way: EventWay;
  /** The events that the TPPs have not accepted yet; at most 10,000 are counted per TPP. */
  waiting: number;
  /** When the oldest of these events occurred; null if there is none. */
  oldest: Temporal.Instant | null;
  /** The number of unresponsive endpoints. */
  unresponsive: number;
};

const mostPerTpp = 10_000;

/** Reads the figures of each way in which a registered TPP receives events. */
export const measureEvents = (on: Queryable): Promise<EventFigures[]> =>
  on.query<EventFigures>(sql`
    select case when s.callback_url is null then 'polling' else 'callback' end as way,
      coalesce(sum(w.waiting), 0)::int as waiting, min(w.oldest) as oldest,
      (count(*) filter (where s.status = 'unresponsive'))::int as unresponsive
    from event_subscription s
    cross join lateral (
      select count(*) as waiting, min(e.occurred_at) as oldest
      from (
        select e.occurred_at from event e
        where e.client_id = s.client_id and e.state in ('waiting', 'undelivered')
        order by e.sequence limit ${mostPerTpp}::int
      ) e
    ) w
    group by way`);
