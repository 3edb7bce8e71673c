// The facts of this store as lines of `./aldgate facts load`, for another store that is filled from
// it: those that transactions have changed since a cursor. A row's `xmin` is the transaction that
// wrote it, so nothing is kept for readers, and nothing is read while nothing changes. After a
// change, each table is read as a whole. A change number of each table would avoid that, but every
// writer would have to write it, in every bank, and writers of one table would wait for each other.
// Only a sandbox's database is read in this way, and it is small.
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type ChangedKind, changedKinds } from "./changed-kinds.ts";

/** Changes in JSON, with the cursor after them. */
type ChangedFacts = Record<string, unknown> & { position: { cursor: string } };

/** A place among the changes: transactions from `since` before `until`, of them the kind's rows. */
type Place = { since: bigint; until: bigint; kind: number; after: string };

const pattern = /^(\d{1,19}) (\d{1,19}) (\d{1,2}) ([^\0]{0,300})$/;
const mostTransactions = 2n ** 63n - 1n;

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
  let place = cursor === null ? beginning : parse(cursor);
  if (!place) return null;
  const now = await oldestRunning(database);
  if (place.since === place.until) {
    // the cursor of another database, such as one that was made anew
    if (now < place.since) place = { ...place, since: 0n, until: 0n };
    place = { ...place, until: now, kind: 0, after: "" };
  }
  // a page ends before what was running when it was read
  if (place.until > now) return null;
  while (place.since < place.until) {
    const row = changedKinds[place.kind];
    if (!row) break;
    const { facts, named, last } = await readRows(database, row, place, limit);
    const isLast = facts.length < limit;
    place = isLast ? { ...place, kind: place.kind + 1, after: "" } : { ...place, after: last };
    if (facts.length > 0) {
      return { ...named, ...row.shown(facts), position: { cursor: textOf(place) } };
    }
  }
  const end = { since: place.until, until: place.until, kind: 0, after: "" };
  return { position: { cursor: textOf(end) } };
}

const beginning: Place = { since: 0n, until: 0n, kind: 0, after: "" };

/** Reads a cursor; null if it cannot be one, whatever the database has. */
function parse(cursor: string): Place | null {
  const [text, since, until, kind, after = ""] = pattern.exec(cursor) ?? [];
  if (text === undefined) return null;
  const place = { since: BigInt(since ?? 0), until: BigInt(until ?? 0), kind: Number(kind), after };
  // after the last kind, a cursor has the next number
  const isPossible =
    place.since <= place.until &&
    place.until <= mostTransactions &&
    place.kind <= changedKinds.length;
  return isPossible ? place : null;
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

type Named = Record<string, unknown[] | null>;
type Rows = { facts: unknown[]; named: Record<string, unknown[]>; last: string };

async function readRows(
  database: Database,
  { from, key, fact, where = sql`true`, named, isNamed }: ChangedKind,
  { since, until, after }: Place,
  limit: number,
): Promise<Rows> {
  const end = sql`${until.toString()}::bigint`;
  // a sandbox's database never has as many transactions as the 32 bits of xmin can count
  const rows = await database.query<{ fact: unknown; named: Named | null; key: string }>(sql`
    select ${fact} as fact, ${key} as key, ${named ? named(end) : sql`null::json`} as named
    from ${from}
    where ${where} and t.xmin::text::bigint >= ${since.toString()}::bigint and ${key} > ${after}
      ${isNamed ? sql`` : sql`and t.xmin::text::bigint < ${end}`}
    order by ${key} limit ${limit}::integer`);
  const facts = rows.map((row) => row.fact);
  return { facts, named: joined(rows), last: rows.at(-1)?.key ?? after };
}

/** The facts that the rows name, by their kinds. */
function joined(rows: readonly { named: Named | null }[]): Record<string, unknown[]> {
  const all: Record<string, unknown[]> = {};
  for (const [kind, facts] of rows.flatMap(({ named }) => Object.entries(named ?? {}))) {
    if (facts) all[kind] = [...(all[kind] ?? []), ...facts];
  }
  return all;
}
