import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Makes every removal that the store remembers so many days old. */
export const ageRemovals = (database: Database, days: number) =>
  database.query(sql`
    update removed_fact set removed_at = now() - make_interval(days => ${days}::integer)`);
