import { formatInstant } from "#src/lib/date-time.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type RefusedFact, storableText } from "./check-facts.ts";
import { keyOfPage, ofUnread } from "./forget-refusals.ts";

/** A fact that a feeder has sent, and that was not stored since. */
export type KnownRefusal = RefusedFact & {
  source: string;
  /** An ISO 8601 time: when it was refused last. */
  refusedAt: string;
  /** An ISO 8601 time: when it was refused first. */
  since: string;
  /** How often it was refused. */
  times: number;
};

/** Lists up to 1,000 refused facts, the latest first. */
export async function listRefusedFacts(on: Queryable): Promise<KnownRefusal[]> {
  type RefusalRow = Omit<KnownRefusal, "refusedAt" | "since"> &
    Record<"refusedAt" | "since", Temporal.Instant>;
  const rows = await on.query<RefusalRow>(sql`
    select source, kind, coalesce(place, key) as key, path, rule, times, refused_at as "refusedAt",
      coalesce(since, refused_at) as since
    from fact_refusal order by refused_at desc, source, kind, key limit 1000`);
  return rows.map((row) => ({
    ...row,
    refusedAt: formatInstant(row.refusedAt),
    since: formatInstant(row.since),
  }));
}

/** Counts the refused facts of each source. */
export const countRefusedFacts = (on: Queryable): Promise<{ source: string; count: number }[]> =>
  on.query(sql`
    select source, count(*)::integer as count from fact_refusal where kind <> ${ofUnread}
    group by source order by source`);

/** Lists that the page of a source after a cursor cannot be read, until a page of it is stored. */
export const noteUnread = (
  on: Queryable,
  source: string,
  after: string | null,
  reason: string,
): Promise<unknown> =>
  on.query(sql`
    insert into fact_refusal as f (source, kind, key, path, rule, place)
    values (${source}, ${ofUnread}, '*', '', ${storableText(reason)}, ${keyOfPage(after)})
    on conflict (source, kind, key) do update set rule = excluded.rule, place = excluded.place,
      refused_at = excluded.refused_at, times = f.times + 1`);

// A process that asks tries again within minutes, and one that no longer runs has no feed.
const triedWithin = sql`interval '10 minutes'`;

/** For how long, in seconds, no page of each source could be read; none of those that are read. */
export const listUnread = (on: Queryable): Promise<{ source: string; seconds: number }[]> =>
  on.query(sql`
    select source, extract(epoch from clock_timestamp() - since)::double precision as seconds
    from fact_refusal
    where kind = ${ofUnread} and refused_at > clock_timestamp() - ${triedWithin}`);
