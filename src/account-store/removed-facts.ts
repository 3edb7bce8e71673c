import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * How long a removal is remembered. An older version that arrives after this time is stored again.
 */
export const removalsRememberedDays = 30;

/** Forgets removals that are older than that time, at most 5,000 per call. */
export async function purgeRemovedFacts(on: Queryable): Promise<void> {
  await on.query(sql`
    delete from removed_fact where ctid = any(array(
      select ctid from removed_fact
      where removed_at < now() - make_interval(days => ${removalsRememberedDays}::integer)
      order by removed_at limit 5000 for update skip locked))`);
}
