import { formatInstant } from "#src/lib/date-time.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { RefusedFact } from "./check-facts.ts";

/** A fact that a feeder has sent, and that was not stored since. */
export type KnownRefusal = RefusedFact & {
  source: string;
  /** An ISO 8601 time. */
  refusedAt: string;
};

/** Lists up to 1,000 refused facts, the latest first. */
export async function listRefusedFacts(on: Queryable): Promise<KnownRefusal[]> {
  const rows = await on.query<Omit<KnownRefusal, "refusedAt"> & { refusedAt: Temporal.Instant }>(
    sql`select source, kind, key, path, rule, refused_at as "refusedAt" from fact_refusal
      order by refused_at desc, source, kind, key limit 1000`,
  );
  return rows.map((row) => ({ ...row, refusedAt: formatInstant(row.refusedAt) }));
}

/** Counts the refused facts of each source. */
export const countRefusedFacts = (on: Queryable): Promise<{ source: string; count: number }[]> =>
  on.query(sql`
    select source, count(*)::integer as count from fact_refusal group by source order by source`);
