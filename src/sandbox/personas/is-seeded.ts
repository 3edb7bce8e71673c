import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Whether this database contains the sandbox's customers. */
export async function isSeeded(on: Queryable): Promise<boolean> {
  // a production database does not have the sandbox's tables
  const tables = await on.query(sql`select where to_regclass('sandbox_seed') is not null`);
  if (tables.length === 0) return false;
  const seeds = await on.query(sql`select name from sandbox_seed limit 1`);
  return seeds.length > 0;
}
