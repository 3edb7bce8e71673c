import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Returns how many rows the transaction has read so far, in all tables. */
export async function countRead(on: Queryable): Promise<number> {
  const row = await first<{ count: bigint }>(
    on,
    sql`select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as count
      from pg_stat_xact_user_tables`,
  );
  return Number(row?.count);
}
