import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** The tables that have a row with a text, in any column. */
export async function tablesWith(on: Queryable, text: string): Promise<string[]> {
  const tables = await on.query<{ name: string }>(sql`
    select quote_ident(table_name) as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`);
  const found: string[] = [];
  for (const { name } of tables) {
    const statement = `select from ${name} t where strpos(t::text, $1) > 0 limit 1`;
    const rows = await on.query({ text: statement, values: [text] });
    if (rows.length > 0) found.push(name);
  }
  return found;
}
