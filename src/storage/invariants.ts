import { first, type Queryable } from "./database.ts";
import { type Sql, sql } from "./sql.ts";

/** A fact that an invariant expects, and the fact that was found in its place. */
export type Breach = { invariant: string; subject: string; expected: string; found: string };

/** A breach in one line. */
export const describeBreach = ({ invariant, subject, expected, found }: Breach): string =>
  `${invariant}: ${subject} should be ${expected} and is ${found}`;

/** Makes the condition that limits a column to the ids of one slice. */
type Within = (column: Sql) => Sql;

/** A rule that always holds. `breaches` selects subject, expected and found in a slice. */
export type Invariant = { name: string; breaches(within: Within): Sql };

/** Invariants that are checked together, slice by slice of one kind of id. */
export type InvariantGroup = {
  /** The things that are checked, in the plural. */
  what: string;
  /** The table's key whose ids divide the slices; null checks all in one statement. */
  key: { table: Sql; column: Sql; perSlice: number } | null;
  invariants: readonly Invariant[];
};

/** How invariants are verified. */
export type VerifyOptions = {
  onProgress?: (text: string, done?: number, total?: number) => void;
  /** Ids per slice, in place of each group's number. */
  perSlice?: number;
  /** Accounts whose postings are summed in one pass. */
  perPass?: number;
};

/** Breaches that are reported per invariant: a broken ledger breaks in many places. */
export const shownBreaches = 20;

/**
 * Finds the breaches of some invariants; an empty list is good. It may run while payments are made.
 * Each slice is one statement and so sees one moment, and no statement takes longer than a slice:
 * vacuum can go on between them.
 */
export async function verifyGroups(
  on: Queryable,
  groups: readonly InvariantGroup[],
  options: VerifyOptions = {},
): Promise<Breach[]> {
  const found: Breach[] = [];
  for (const group of groups) found.push(...(await verifyGroup(on, group, options)));
  return found;
}

type Slice = { after: string | null; upTo: string | null };

async function verifyGroup(
  on: Queryable,
  group: InvariantGroup,
  { onProgress = () => undefined, perSlice = group.key?.perSlice ?? 0 }: VerifyOptions,
): Promise<Breach[]> {
  const text = `Checking ${group.what}`;
  const total = await estimate(on, group);
  const found = new Map<string, Breach[]>();
  const slice: Slice = { after: null, upTo: null };
  for (let done = 0; ; done += perSlice) {
    onProgress(text, Math.min(done, total), total);
    slice.upTo = await endOfSlice(on, group, slice.after, perSlice);
    for (const breach of await on.query<Breach>(breachesIn(group, slice))) {
      const same = found.get(breach.invariant) ?? [];
      if (same.length < shownBreaches) same.push(breach);
      found.set(breach.invariant, same);
    }
    if (slice.upTo === null) break;
    slice.after = slice.upTo;
  }
  return group.invariants.flatMap(({ name }) => found.get(name) ?? []);
}

// The last id of a slice; null for the last slice, which has no end. A row that refers to a missing
// id, such as the hold of a payment that does not exist, is in a slice too.
async function endOfSlice(
  on: Queryable,
  { key }: InvariantGroup,
  after: string | null,
  perSlice: number,
): Promise<string | null> {
  if (!key) return null;
  const { table, column } = key;
  const row = await first<{ id: string }>(
    on,
    sql`select ${column} as id from ${table}
      where ${after === null ? sql`${column} is not null` : sql`${column} > ${after}`}
      order by ${column} offset ${perSlice - 1} limit 1`,
  );
  return row?.id ?? null;
}

function breachesIn({ invariants }: InvariantGroup, { after, upTo }: Slice): Sql {
  const within: Within = (column) => {
    const begins = after === null ? sql`true` : sql`${column} > ${after}`;
    return upTo === null ? begins : sql`${begins} and ${column} <= ${upTo}`;
  };
  return invariants
    .map(
      ({ name, breaches }) => sql`(
        select ${name}::text as invariant, b.subject::text as subject,
          coalesce(b.expected::text, 'nothing') as expected,
          coalesce(b.found::text, 'nothing') as found
        from (${breaches(within)}) as b(subject, expected, found)
        order by 2 limit ${shownBreaches}::integer)`,
    )
    .reduce((all, check) => sql`${all} union all ${check}`);
}

// The planner's own count of the ids: for progress only.
async function estimate(on: Queryable, { key }: InvariantGroup): Promise<number> {
  if (!key) return 0;
  const row = await first<{ rows: number }>(
    on,
    sql`select greatest(reltuples, 0)::float8 as rows from pg_class
      where oid = ${key.table.text}::regclass`,
  );
  return row?.rows ?? 0;
}
