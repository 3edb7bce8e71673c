import type { Queryable } from "./database.ts";
import type { Sql } from "./sql.ts";

/**
 * Repeats a statement that changes or deletes at most `limit` rows and returns them, until it
 * returns fewer. The batches are small, so that nobody waits long for a lock. Returns the total
 * number of rows.
 *
 * A statement that deletes rows locks them, and then uses their place (`ctid`) to find them. If it
 * found them by their key, a plan from a time when the table was nearly empty could read the whole
 * index.
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
