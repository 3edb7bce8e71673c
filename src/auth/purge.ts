import type { Queryable } from "#src/storage/database.ts";
import type { Sql } from "#src/storage/sql.ts";

const batchSize = 500;

/**
 * Runs a statement that deletes at most so many rows, and returns them, until there are no more:
 * in batches, so that nobody waits long for a lock. The statement finds the rows that it has locked
 * by their place (`ctid`). If it found them by their key, a plan from a time when the table was
 * nearly empty could read the whole index.
 */
export async function purge(on: Queryable, statement: (limit: number) => Sql): Promise<void> {
  for (;;) {
    const rows = await on.query(statement(batchSize));
    if (rows.length < batchSize) return;
  }
}
