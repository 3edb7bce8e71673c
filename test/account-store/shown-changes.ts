import { present } from "#src/lib/assert.ts";
import { type Database, first } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { until } from "#test/until.ts";

const idOf = async (database: Database, id: Sql): Promise<string> =>
  present(await first<{ id: string }>(database, sql`select ${id}::text as id`), "a row").id;

/**
 * Waits until a store shows everything that was written. It shows a change when all transactions
 * of its server that began before have ended, and tests that run at the same time share a server.
 */
export async function changesAreShown(source: Database): Promise<void> {
  const own = await idOf(source, sql`pg_current_xact_id()`);
  const oldest = () => idOf(source, sql`pg_snapshot_xmin(pg_current_snapshot())`);
  await until(oldest, (id) => BigInt(id) > BigInt(own));
}
