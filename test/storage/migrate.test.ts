import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { households } from "#src/sandbox/personas/households.ts";
import type { Database } from "#src/storage/database.ts";
import { listMigrations, MigrationBlocked, migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { onPostgres, startPostgres, type TestPostgres } from "#test/postgres.ts";
import { openWithoutSchema } from "#test/sandbox/bank/empty-bank.ts";
import { seedsNamed } from "#test/sandbox/stored-marks.ts";

const worker = fileURLToPath(new URL("./start-worker.ts", import.meta.url));
const run = promisify(execFile);
const skip = onPostgres ? false : "needs a PostgreSQL server, which several sessions can use";

describe("processes that start at the same time", { skip }, () => {
  let server: TestPostgres;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server?.stop());

  const start = async (count: number, ...task: string[]) => {
    const url = await server.createDatabase(`start_${randomUUID().replaceAll("-", "")}`);
    const starts = Array.from({ length: count }, () =>
      run(process.execPath, [worker, url, ...task]),
    );
    await Promise.all(starts.map(({ child: { stdout } }) => stdout && once(stdout, "data")));
    for (const { child } of starts) child.stdin?.end();
    const printed = (await Promise.all(starts)).map(({ stdout }) => Number(stdout.slice(6)));
    return { url, applied: printed.sort((a, b) => a - b) };
  };

  test("five processes create the schema of an empty database once", async () => {
    const { applied } = await start(5);
    assert.deepEqual(applied, [0, 0, 0, 0, listMigrations().length]);
  });

  test("a process that waits names the session that works on its own database, not on another database of the server", async () => {
    const create = () => server.createDatabase(`held_${randomUUID().replaceAll("-", "")}`);
    const database = await openPostgres(await create(), 2);
    const other = await openPostgres(await create(), 20);
    const waited = Promise.withResolvers<string>();
    // many sessions of the other database hold a lock with the same key
    let missing = 20;
    const allLocked = Promise.withResolvers<void>();
    const locking = Array.from({ length: missing }, () =>
      other.transaction(async (on) => {
        await on.query(sql`select pg_advisory_xact_lock_shared(704211)`);
        missing -= 1;
        if (missing === 0) allLocked.resolve();
        await waited.promise;
      }),
    );
    await allLocked.promise;
    const held = Promise.withResolvers<number>();
    const holding = database.alone("schema", async (on) => {
      const [row] = await on.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
      held.resolve(row?.pid ?? 0);
      await waited.promise;
    });
    const pid = await held.promise;
    await database.alone("schema", async () => undefined, waited.resolve);
    assert.match(await waited.promise, new RegExp(`^session ${pid} \\(`));
    await Promise.all([holding, ...locking]);
    await database.close();
    await other.close();
  });

  test("three processes fill an empty sandbox once", async () => {
    const { url } = await start(3, "seed");
    const database = await openPostgres(url, 1);
    const seeds = await seedsNamed(database, "household ");
    await database.close();
    assert.equal(seeds.length, households.length);
  });
});

describe("a migration that needs a locked table", { skip }, () => {
  const migrations = [{ name: "1", text: "alter table thing add column extra text" }];
  let database: Database;
  before(async () => {
    database = await openWithoutSchema();
    await database.execute("create table thing (id integer primary key)");
  });
  after(() => database?.close());

  const whileLocked = (work: (release: () => void) => Promise<void>): Promise<void> => {
    const released = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = database.transaction(async (on) => {
      await on.query(sql`select id from thing`);
      locked.resolve();
      await released.promise;
    });
    return Promise.all([
      holding,
      locked.promise.then(() => work(released.resolve)).finally(released.resolve),
    ]).then(() => undefined);
  };

  test("gives up after its attempts, and names the session that holds the lock", async () => {
    await whileLocked(async (release) => {
      const tries = { count: 2, lockMs: 1500, pauseMs: 10 };
      const refused = migrate(database, { migrations, tries });
      await assert.rejects(refused, (error: Error) => {
        assert.ok(error instanceof MigrationBlocked);
        assert.match(
          error.message,
          /^Migration 1 needs a lock .* session \d+ \(aldgate, idle in trans/,
        );
        return true;
      });
      release();
    });
    const rows = await database.query(sql`select name from migration where name = '1'`);
    assert.deepEqual(rows, []);
  });

  test("is applied at a later attempt once the lock is free", async () => {
    await whileLocked(async (release) => {
      const tries = { count: 20, lockMs: 100, pauseMs: 50 };
      setTimeout(release, 600);
      assert.deepEqual(await migrate(database, { migrations, tries }), ["1"]);
    });
  });
});

describe("a migration outside a transaction", () => {
  let database: Database;
  before(async () => {
    database = await openWithoutSchema();
    await database.execute("create table item (id integer, name text)");
  });
  after(() => database?.close());

  const text = `-- outside a transaction
-- An index of a large table. An earlier attempt may have left a part, which is dropped first.
drop index concurrently if exists item_name;
create index concurrently item_name
  on item (name);
`;

  test("builds an index concurrently, even after an interrupted attempt", async () => {
    await database.execute("create index item_name on item (id)");
    assert.deepEqual(await migrate(database, { migrations: [{ name: "1", text }] }), ["1"]);
    const [index] = await database.query<{ definition: string }>(sql`
      select indexdef as definition from pg_indexes where indexname = 'item_name'`);
    assert.match(String(index?.definition), /\(name\)$/);
    assert.deepEqual(await migrate(database, { migrations: [{ name: "1", text }] }), []);
  });

  test("a migration that fails changes nothing, and the database can still be used", async () => {
    const broken = { name: "2", text: "create table other (id integer); select 1 / 0;" };
    const migrations = [{ name: "1", text }, broken];
    await assert.rejects(migrate(database, { migrations }), /division by zero/);
    const rows = await database.query(sql`select 1 from pg_tables where tablename = 'other'`);
    assert.deepEqual(rows, []);
  });
});
