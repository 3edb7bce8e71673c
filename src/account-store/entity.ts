import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** A kind of facts: its table, and the columns that the bank sets. */
export type Entity<Fact> = {
  name: string;
  table: string;
  /** The columns that identify a fact. */
  key: readonly string[];
  columns: readonly string[];
  /** The row of a fact, a member per column. Objects become columns of JSON. */
  toRow(fact: Fact): Record<string, unknown>;
};

/** A fact with the bank's version of it: a number that grows when the fact changes. */
export type Versioned<Fact> = Fact & { version: bigint };

/** The key of a fact, by column, and the version of its removal. */
export type Removal = { version: bigint; [column: string]: string | bigint };

/** Checked names of columns, for the text of a statement. */
function names(all: readonly string[], prefix = ""): Sql {
  if (!all.every((name) => /^[a-z_]+$/.test(name))) throw new Error("names are lower case");
  return { text: all.map((name) => prefix + name).join(", "), values: [] };
}

const equal = (key: readonly string[], left: string, right: string): Sql => ({
  text: key.map((name) => `${left}.${name} = ${right}.${name}`).join(" and "),
  values: [],
});

const assignments = (columns: readonly string[]): Sql => ({
  text: columns.map((name) => `${name} = excluded.${name}`).join(", "),
  values: [],
});

// The key as one text; a space is in none of our ids' columns.
const keyText = (key: readonly string[], alias: string): Sql => ({
  text: `concat_ws(' ', ${key.map((name) => `${alias}.${name}`).join(", ")})`,
  values: [],
});

/**
 * Returns the newest version of each fact in a batch: a statement stores a row once. Facts are in
 * the order of their keys, so that two feeders cannot wait for each other.
 */
export function newestOf<Fact extends { version: bigint }>(
  facts: readonly Fact[],
  keyOf: (fact: Fact) => string,
): Fact[] {
  const byKey = new Map<string, Fact>();
  for (const fact of facts) {
    const key = keyOf(fact);
    const known = byKey.get(key);
    if (!known || known.version < fact.version) byKey.set(key, fact);
  }
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, fact]) => fact);
}

const newest = <Fact>(
  { key }: Pick<Entity<Fact>, "key">,
  rows: readonly (Record<string, unknown> & { version: bigint })[],
): Record<string, unknown>[] =>
  newestOf(rows, (row) => JSON.stringify(key.map((name) => row[name]))).map((row) => ({
    ...row,
    version: row.version.toString(),
  }));

/** Stores each fact whose version is newer than the stored version and than its removal. */
export async function upsertFacts<Fact>(
  on: Queryable,
  entity: Entity<Fact>,
  facts: readonly Versioned<Fact>[],
): Promise<void> {
  if (facts.length === 0) return;
  const { table, key, columns } = entity;
  const rows = newest(
    entity,
    facts.map((fact) => ({ ...entity.toRow(fact), version: fact.version })),
  );
  const changed = columns.filter((name) => !key.includes(name));
  await on.query(sql`
    insert into ${names([table])} as t (${names([...columns, "version"])})
    select ${names([...columns, "version"], "g.")}
    from json_populate_recordset(null::${names([table])}, ${JSON.stringify(rows)}::json) g
    where not exists (select from removed_fact r where r.entity = ${entity.name}
      and r.key = ${keyText(key, "g")} and r.version >= g.version)
    on conflict (${names(key)}) do update set ${assignments([...changed, "version"])}
    where t.version < excluded.version`);
}

/**
 * Removes facts, each if the version of its removal is newer than the stored version. The removal
 * is remembered, so that an older version which arrives later is not stored again.
 */
export async function removeFacts<Fact>(
  on: Queryable,
  entity: Pick<Entity<Fact>, "name" | "table" | "key">,
  removals: readonly Removal[],
): Promise<void> {
  if (removals.length === 0) return;
  const { table, key } = entity;
  const rows = JSON.stringify(newest(entity, removals));
  await on.query(sql`
    insert into removed_fact as r (entity, key, version)
    select ${entity.name}::text, ${keyText(key, "g")}, g.version
    from json_populate_recordset(null::${names([table])}, ${rows}::json) g
    where not exists (select from ${names([table])} t
      where ${equal(key, "t", "g")} and t.version >= g.version)
    on conflict (entity, key) do update
    set version = excluded.version, removed_at = excluded.removed_at
    where r.version < excluded.version`);
  await on.query(sql`
    delete from ${names([table])} t
    using json_populate_recordset(null::${names([table])}, ${rows}::json) g
    where ${equal(key, "t", "g")} and t.version < g.version`);
}
