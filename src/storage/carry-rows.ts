import { assert, present } from "#src/lib/assert.ts";
import { first, type Queryable } from "./database.ts";
import { type Sql, sql } from "./sql.ts";

/** All rows of some tables, as JSON text. */
export type CarriedRows = readonly { table: string; rows: string }[];

/** Reads all rows of the tables, for another database with the same tables. */
export async function readRows(on: Queryable, tables: readonly string[]): Promise<CarriedRows> {
  const carried: { table: string; rows: string }[] = [];
  for (const table of tables) {
    const text = `select coalesce(json_agg(t), '[]')::text as rows from ${named(table)} t`;
    const row = await first<{ rows: string }>(on, { text, values: [] });
    carried.push({ table, rows: present(row, table).rows });
  }
  return carried;
}

/** Writes the rows, table by table. A row that is there already gets the new values. */
export async function mergeRows(on: Queryable, carried: CarriedRows): Promise<void> {
  for (const { table, rows } of carried) await on.query(await merge(on, table, rows));
}

async function merge(on: Queryable, table: string, rows: string): Promise<Sql> {
  const columns = await on.query<{ name: string; isKey: boolean }>(sql`
    select a.attname as name, a.attnum = any(i.indkey) as "isKey"
    from pg_attribute a join pg_index i on i.indrelid = a.attrelid and i.indisprimary
    where a.attrelid = to_regclass(${table}) and a.attnum > 0 and not a.attisdropped
    order by a.attnum`);
  const all = columns.map(({ name }) => named(name)).join(", ");
  const key = columns.filter(({ isKey }) => isKey).map(({ name }) => named(name));
  const changes = columns
    .filter(({ isKey }) => !isKey)
    .map(({ name }) => `${named(name)} = excluded.${named(name)}`);
  assert(key.length > 0, `${table} has a primary key`);
  const text = `insert into ${named(table)} (${all})
    select ${all} from json_populate_recordset(null::${named(table)}, $1::json)
    on conflict (${key.join(", ")}) do update set ${changes.join(", ")}`;
  return { text, values: [rows] };
}

/** A name of the schema in a statement. */
function named(name: string): string {
  assert(/^[a-z_]+$/.test(name), `${name} is a plain name`);
  return `"${name}"`;
}
