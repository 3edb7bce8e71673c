import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { Database } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { onPostgres, startPostgres, type TestPostgres } from "#test/postgres.ts";

const skip = onPostgres ? false : "needs a PostgreSQL server, which has time limits";

let server: TestPostgres;
before(async () => {
  if (onPostgres) server = await startPostgres();
});
after(() => server?.stop());

const names = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];

async function readLimits(database: Database): Promise<string[]> {
  const rows = await database.query<{ name: string; setting: string }>(sql`
    select name, setting from pg_settings where name = any(${names}::text[])`);
  return names.map((name) => rows.find((row) => row.name === name)?.setting ?? "");
}

test("a connection has Aldgate's time limits, whatever the database has", { skip }, async () => {
  const name = `limits_${randomUUID().replaceAll("-", "")}`;
  const url = await server.createDatabase(name);
  const owner = await openPostgres(url, 1);
  for (const setting of names) await owner.execute(`alter database ${name} set ${setting} = '2s'`);
  await owner.close();
  const usual = await openPostgres(url, 1);
  // as commands that read all data open it
  const unhurried = await openPostgres(url, 1, { statementSeconds: 0, transactionSeconds: 0 });
  try {
    assert.deepEqual(await readLimits(usual), ["30000", "10000", "300000"]);
    assert.deepEqual(await readLimits(unhurried), ["0", "10000", "0"]);
  } finally {
    await usual.close();
    await unhurried.close();
  }
});
