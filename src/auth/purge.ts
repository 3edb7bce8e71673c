import type { Queryable } from "#src/storage/database.ts";
import type { Sql } from "#src/storage/sql.ts";

const batchSize = 500;

/**
 * Runs a statement that deletes at most so many rows, and returns them, until there are no more:
 * in batches, so that nobody waits long for a lock.
 */
export async function purge(on: Queryable, statement: (limit: number) => Sql): Promise<void> {
  for (;;) {
    const rows = await on.query(statement(batchSize));
    if (rows.length < batchSize) return;
  }
}
