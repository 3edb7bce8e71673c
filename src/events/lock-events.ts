import { type Sql, sql } from "#src/storage/sql.ts";

/**
 * Selects the ids of the events `e` that meet a condition, and locks these events in the order of
 * their ids. `from` joins other tables. Every statement that changes several events and may wait
 * for their locks begins with this query, so that no two statements wait for each other. A
 * statement that also locks registrations locks them first, in the order of their clients.
 */
export const lockedEvents = (condition: Sql, from: Sql = sql``): Sql => sql`
  select e.jti from event e ${from} where ${condition} order by e.jti for update of e`;
