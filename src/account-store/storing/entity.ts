import type { Versioned } from "#src/account-store/facts.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** The identity of a kind of facts, which is enough to remove them. */
export type RemovableEntity<Key> = {
  name: string;
  table: string;
  /** The columns of the key. */
  key: readonly string[];
  /** Whether the facts belong to no account. */
  isApart?: true;
  /** Returns the values of the key's columns. */
  toKey(key: Key): Record<string, string>;
};

/** A kind of facts: its table and the columns that the bank sets. */
export type Entity<Fact extends Key, Key> = RemovableEntity<Key> & {
  /** The columns that do not belong to the key. */
  columns: readonly string[];
  /** Returns their values, one member per column. JSON columns take objects. */
  toRow(fact: Fact): Record<string, unknown>;
  /** Whether a fact frees a number for another fact of the same call, and is stored before it. */
  isFirst?(fact: Fact): boolean;
};

/** Returns JSON text in which every bigint is a string, such as an amount in minor units. */
export const toJson = (value: object): string =>
  JSON.stringify(value, (_, one) => (typeof one === "bigint" ? one.toString() : one));

/** Joins column names for the text of a statement, and checks them first. */
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

// The key as one text. The ids in these columns contain no spaces.
const keyText = (key: readonly string[], alias: string): Sql => ({
  text: `concat_ws(' ', ${key.map((name) => `${alias}.${name}`).join(", ")})`,
  values: [],
});

/**
 * Returns the newest version of each fact in a batch, because a statement can store a row only
 * once. Facts are sorted by key, so that two feeders cannot deadlock.
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

/** Stores facts, each only if its version is newer than the stored one and than its removal. */
export async function upsertFacts<Fact extends Key, Key>(
  on: Queryable,
  entity: Entity<Fact, Key>,
  facts: readonly Versioned<Fact>[] = [],
): Promise<void> {
  if (facts.length === 0) return;
  const { table, key, columns, toKey, toRow } = entity;
  const newest = newestOf(facts, (fact) => JSON.stringify(toKey(fact)));
  const { true: first = [], false: others = [] } = Object.groupBy(newest, (fact) =>
    entity.isFirst?.(fact) ? "true" : "false",
  );
  const rows = [...first, ...others].map((fact) => ({
    ...toKey(fact),
    ...toRow(fact),
    version: fact.version.toString(),
  }));
  const all = [...key, ...columns, "version"];
  await on.query(sql`
    insert into ${names([table])} as t (${names(all)})
    select ${names(all, "g.")}
    from json_populate_recordset(null::${names([table])}, ${toJson(rows)}::json) g
    where not exists (select from removed_fact r where r.entity = ${entity.name}
      and r.key = ${keyText(key, "g")} and r.version >= g.version)
    on conflict (${names(key)}) do update set ${assignments([...columns, "version"])}
    where t.version < excluded.version`);
}

const accountOf = ({ isApart }: Pick<RemovableEntity<unknown>, "isApart">): Sql =>
  isApart ? sql`null::text` : sql`g.account_id`;

/**
 * Removes facts, each only if the removal's version is newer than the stored one. The removal is
 * remembered, so that an older version that arrives later is not stored again. Returns the keys, as
 * one text each, of the removals that are newer than all that is known.
 */
export async function removeFacts<Key extends object>(
  on: Queryable,
  entity: RemovableEntity<Key>,
  removals: readonly Versioned<Key>[] = [],
): Promise<Set<string>> {
  if (removals.length === 0) return new Set();
  const { table, key, toKey } = entity;
  const keys = newestOf(removals, (removal) => JSON.stringify(toKey(removal))).map((removal) => ({
    ...("accountId" in removal ? { account_id: removal.accountId } : {}),
    ...toKey(removal),
    version: removal.version.toString(),
  }));
  const rows = JSON.stringify(keys);
  const made = await on.query<{ key: string }>(sql`
    insert into removed_fact as r (entity, key, version, account_id)
    select ${entity.name}::text, ${keyText(key, "g")}, g.version, ${accountOf(entity)}
    from json_populate_recordset(null::${names([table])}, ${rows}::json) g
    where not exists (select from ${names([table])} t
      where ${equal(key, "t", "g")} and t.version >= g.version)
    on conflict (entity, key) do update set version = excluded.version,
      removed_at = excluded.removed_at, account_id = excluded.account_id
    where r.version < excluded.version
    returning key`);
  await on.query(sql`
    delete from ${names([table])} t
    using json_populate_recordset(null::${names([table])}, ${rows}::json) g
    where ${equal(key, "t", "g")} and t.version < g.version`);
  return new Set(made.map((row) => row.key));
}
