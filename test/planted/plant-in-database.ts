import { present } from "#src/lib/assert.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { replaceOnce } from "./copy-source.ts";
import type { DatabasePatch } from "./planted-fault.ts";

/** Plants faults in a database. Throws if a text does not occur once in its function. */
export async function plantInDatabase(
  on: Database,
  patches: readonly DatabasePatch[],
): Promise<void> {
  for (const patch of patches) {
    await on.execute("statement" in patch ? patch.statement : await plantedFunction(on, patch));
  }
}

async function plantedFunction(
  on: Database,
  { function: name, find, replace }: Exclude<DatabasePatch, { statement: string }>,
): Promise<string> {
  const [row] = await on.query<{ text: string }>(
    sql`select pg_get_functiondef(${name}::regproc) as text`,
  );
  const planted = replaceOnce(present(row, name).text, find, replace);
  return present(planted, `the only place in ${name} with the text ${find}`);
}
