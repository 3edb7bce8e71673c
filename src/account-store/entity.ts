import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** What identifies a kind of facts, and removes them. */
export type RemovableEntity<Key> = {
  name: string;
  table: string;
  /** The columns that identify a fact. */
  key: readonly string[];
  /** The values of these columns. */
  toKey(key: Key): Record<string, string>;
};

/** A kind of facts: its table, and the columns that the bank sets. */
export type Entity<Fact extends Key, Key> = RemovableEntity<Key> & {
  /** The columns beside those of the key. */
  columns: readonly string[];
  /** Their values, a member per column. Objects become columns of JSON. */
  toRow(fact: Fact): Record<string, unknown>;
};

/** A fact with the bank's version of it: a number that grows when the fact changes. */
export type Versioned<Fact> = Fact & { version: bigint };

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

/** Stores each fact whose version is newer than the stored version and than its removal. */
export async function upsertFacts<Fact extends Key, Key>(
  on: Queryable,
  entity: Entity<Fact, Key>,
  facts: readonly Versioned<Fact>[] = [],
): Promise<void> {
  if (facts.length === 0) return;
  const { table, key, columns, toKey, toRow } = entity;
  const rows = newestOf(facts, (fact) => JSON.stringify(toKey(fact))).map((fact) => ({
    ...toKey(fact),
    ...toRow(fact),
    version: fact.version.toString(),
  }));
  const all = [...key, ...columns, "version"];
  await on.query(sql`
    insert into ${names([table])} as t (${names(all)})
    select ${names(all, "g.")}
    from json_populate_recordset(null::${names([table])}, ${JSON.stringify(rows)}::json) g
    where not exists (select from removed_fact r where r.entity = ${entity.name}
      and r.key = ${keyText(key, "g")} and r.version >= g.version)
    on conflict (${names(key)}) do update set ${assignments([...columns, "version"])}
    where t.version < excluded.version`);
}

/**
 * Removes facts, each if the version of its removal is newer than the stored version. The removal
 * is remembered, so that an older version which arrives later is not stored again.
 */
export async function removeFacts<Key>(
  on: Queryable,
  entity: RemovableEntity<Key>,
  removals: readonly Versioned<Key>[] = [],
): Promise<void> {
  if (removals.length === 0) return;
  const { table, key, toKey } = entity;
  const keys = newestOf(removals, (removal) => JSON.stringify(toKey(removal))).map((removal) => ({
    ...toKey(removal),
    version: removal.version.toString(),
  }));
  const rows = JSON.stringify(keys);
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
