import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { RefusedFact } from "./check-facts.ts";

/** A fact that a feeder has sent, and that was not stored since. */
type KnownRefusal = RefusedFact & { source: string; refusedAt: Temporal.Instant };

/** Lists the refused facts, newest first. */
export const listRefusedFacts = (on: Queryable, limit: number): Promise<KnownRefusal[]> =>
  on.query<KnownRefusal>(sql`
    select source, kind, key, path, rule, refused_at as "refusedAt" from fact_refusal
    order by refused_at desc, source, kind, key limit ${limit}`);

/** Counts the refused facts of each source. */
export const countRefusedFacts = (on: Queryable): Promise<{ source: string; count: number }[]> =>
  on.query(sql`
    select source, count(*)::integer as count from fact_refusal group by source order by source`);
