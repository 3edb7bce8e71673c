import type { Queryable } from "./database.ts";
import type { Sql } from "./sql.ts";

/**
 * Runs a statement that changes or deletes at most so many rows, and returns them, until there are
 * no more: in batches, so that nobody waits long for a lock. Returns the number of rows.
 *
 * A statement that deletes rows finds those that it has locked by their place (`ctid`). If it found
 * them by their key, a plan from a time when the table was nearly empty could read the whole index.
 */
export async function inBatches(
  on: Queryable,
  statement: (limit: number) => Sql,
  batchSize = 500,
): Promise<number> {
  for (let count = 0; ; ) {
    const rows = await on.query(statement(batchSize));
    count += rows.length;
    if (rows.length < batchSize) return count;
  }
}
