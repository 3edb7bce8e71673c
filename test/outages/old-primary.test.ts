import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { first } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { startServer } from "#test/attacks/postgres-server.ts";
import { onPostgres } from "#test/postgres.ts";
import { patienceMs, until } from "#test/until.ts";

const skip = onPostgres ? false : "needs PostgreSQL servers";

test("an old primary that goes on accepting writes is left for the new one, and not used again", {
  skip,
  timeout: patienceMs,
}, async () => {
  const old = await startServer();
  await old.createDatabase("bank");
  const next = await startServer({ standbyOf: old });
  const url = `postgres://aldgate@${old.host},${next.host}/bank`;
  const database = await openPostgres(url, 2, { probeSeconds: 0.5 });
  const used = async (): Promise<string> => {
    const row = await first<{ port: number }>(database, sql`select inet_server_port() as port`);
    return `127.0.0.1:${row?.port}`;
  };
  const whereOrWhy = () => used().catch((error: Error) => error.message);
  try {
    assert.equal(await used(), old.host);
    const client = new pg.Client({ connectionString: next.urlOf("postgres") });
    await client.connect();
    await client.query("select pg_promote()");
    await client.end();
    await until(whereOrWhy, (host) => host === next.host);
    // the old primary still accepts writes
    const writer = new pg.Client({ connectionString: old.urlOf("bank") });
    await writer.connect();
    await writer.query("create table written (id text)");
    await writer.end();

    await next.kill();
    await until(whereOrWhy, (why) => why.includes(`${old.host}: it is an old primary`));
    await next.start();
    await until(whereOrWhy, (host) => host === next.host);
  } finally {
    await database.close();
    await next.stop();
    await old.stop();
  }
});
