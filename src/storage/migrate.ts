import { readdirSync, readFileSync } from "node:fs";
import type { Database } from "./database.ts";
import { sql } from "./sql.ts";

const folder = new URL("../../migrations/", import.meta.url);

/** The migrations in order: file name without its ending, and text. */
export function listMigrations(): { name: string; text: string }[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({
      name: file.slice(0, -4),
      text: readFileSync(new URL(file, folder), "utf8"),
    }));
}

/**
 * Brings the database to the newest schema and gives the names of what it applied. Forward only;
 * several processes may call it at once: an advisory lock lets one through at a time.
 */
export async function migrate(database: Database): Promise<string[]> {
  await database.execute(`create table if not exists migration (
    name text primary key, applied_at timestamptz not null default clock_timestamp())`);
  const rows = await database.query<{ name: string }>(sql`select name from migration`);
  const known = new Set(rows.map(({ name }) => name));
  const applied: string[] = [];
  for (const { name, text } of listMigrations()) {
    if (known.has(name)) continue;
    await database.execute(
      `begin; select pg_advisory_xact_lock(704211); do $migration$ begin
        if not exists (select from migration where name = '${name}') then
          execute $text$${text}$text$;
          insert into migration (name) values ('${name}');
        end if; end $migration$; commit;`,
    );
    applied.push(name);
  }
  return applied;
}
