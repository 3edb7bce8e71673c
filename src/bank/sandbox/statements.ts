import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * Makes the statements of the months that have ended, each once, whichever processes do it at the
 * same time; gives how many. All that belongs to those months must have been booked.
 */
export async function makeDueStatements(
  database: Database,
  now: Temporal.Instant,
): Promise<number> {
  const row = await first<{ made: number }>(database, sql`select make_statements(${now}) as made`);
  return row?.made ?? 0;
}
