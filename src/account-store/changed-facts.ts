// The facts of this store as lines of `./aldgate facts load`, for another store that is filled from
// it: those that transactions have changed since a cursor. A row's `xmin` is the transaction that
// wrote it, so nothing is kept for readers, and nothing is read while nothing changes.
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type ChangedKind, changedKinds } from "./changed-kinds.ts";

/** Changes in JSON, with the cursor after them. */
type ChangedFacts = Record<string, unknown> & { position: { cursor: string } };

/** A place among the changes: transactions from `since` before `until`, of them the kind's rows. */
type Place = { since: bigint; until: bigint; kind: number; after: string };

const pattern = /^(\d{1,20}) (\d{1,20}) (\d{1,2}) (.{0,300})$/s;

/**
 * Returns the next changes after a cursor, at most as many as the limit says; all facts without a
 * cursor. Facts may come again, with the same version. Returns null for a cursor that this store
 * has not given.
 */
export async function readChangedFacts(
  database: Database,
  cursor: string | null,
  limit: number,
): Promise<ChangedFacts | null> {
  const found = cursor === null ? ["", "0", "0", "0", ""] : pattern.exec(cursor);
  if (!found) return null;
  const [, since = "0", until = "0", kind = "0", after = ""] = found;
  let place: Place = { since: BigInt(since), until: BigInt(until), kind: Number(kind), after };
  if (place.since === place.until) {
    const now = await oldestRunning(database);
    // the cursor of another database, such as one that was made anew
    if (now < place.since) place = { ...place, since: 0n, until: 0n };
    place = { ...place, until: now, kind: 0, after: "" };
  }
  while (place.since < place.until) {
    const row = changedKinds[place.kind];
    if (!row) break;
    const { facts, last } = await readRows(database, row, place, limit);
    const isLast = facts.length < limit;
    place = isLast ? { ...place, kind: place.kind + 1, after: "" } : { ...place, after: last };
    if (facts.length > 0) return { ...row.shown(facts), position: { cursor: textOf(place) } };
  }
  const end = { since: place.until, until: place.until, kind: 0, after: "" };
  return { position: { cursor: textOf(end) } };
}

const textOf = ({ since, until, kind, after }: Place): string =>
  `${since} ${until} ${kind} ${after}`;

/** The oldest transaction that is still running: all before it have ended. */
async function oldestRunning(database: Database): Promise<bigint> {
  const [row] = await database.query<{ xmin: string }>(
    sql`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`,
  );
  return BigInt(row?.xmin ?? "0");
}

async function readRows(
  database: Database,
  { table, key, fact, isNamed }: ChangedKind,
  { since, until, after }: Place,
  limit: number,
): Promise<{ facts: unknown[]; last: string }> {
  // a sandbox's database never has as many transactions as the 32 bits of xmin can count
  const rows = await database.query<{ fact: unknown; key: string }>(sql`
    select ${fact} as fact, ${key} as key from ${table} t
    where t.xmin::text::bigint >= ${since.toString()}::bigint and ${key} > ${after}
      ${isNamed ? sql`` : sql`and t.xmin::text::bigint < ${until.toString()}::bigint`}
    order by ${key} limit ${limit}::integer`);
  return { facts: rows.map((row) => row.fact), last: rows.at(-1)?.key ?? after };
}
