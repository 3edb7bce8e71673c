import { type Change, changesBetween } from "#src/history/change.ts";
import { createFindComplete } from "#src/history/complete-changes.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * Creates a function that reads the complete changes that it has not read before, in order. If
 * transactions are writing, a later call reads their changes.
 */
export function createChangeReader(on: Queryable): () => Promise<Change[]> {
  const findComplete = createFindComplete();
  let last = 0n;
  return async () => {
    const end = await findComplete(on);
    if (end === null || end <= last) return [];
    const rows = sql`${changesBetween(sql`${last}`, sql`${end}`)} order by c.sequence`;
    last = end;
    return on.query<Change>(rows);
  };
}
