import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { households } from "#src/sandbox/personas/households.ts";
import { MigrationBlocked } from "#src/storage/apply-migration.ts";
import type { Database } from "#src/storage/database.ts";
import { listMigrations, migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { onPostgres, startPostgres, type TestPostgres } from "#test/postgres.ts";
import { openWithoutSchema } from "#test/sandbox/bank/empty-bank.ts";
import { seedsNamed } from "#test/sandbox/stored-marks.ts";
import { until } from "#test/until.ts";

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

describe("a migration beside traffic", { skip }, () => {
  let database: Database;
  before(async () => {
    database = await openWithoutSchema();
    await database.execute("create table busy (id integer); create table once (id integer)");
  });
  after(() => database?.close());

  /** Runs work while another session has a transaction that has read the table. */
  async function besideReader(work: () => Promise<void>): Promise<void> {
    const read = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const holding = database.transaction(async (on) => {
      await on.query(sql`select id from busy`);
      read.resolve();
      await released.promise;
    });
    await read.promise;
    await work().finally(released.resolve);
    await holding;
  }

  test("reads go on while it waits behind a long transaction", async () => {
    const migrations = [{ name: "1", text: "alter table busy add column extra text" }];
    let migrating: Promise<string[]> = Promise.resolve([]);
    let isDone = false;
    await besideReader(async () => {
      migrating = migrate(database, { migrations });
      void migrating.then(() => {
        isDone = true;
      });
      await untilWaiting(database);
      // a read that waits behind the migration is answered before the transaction has ended
      for (let count = 0; count < 20; count += 1) await database.query(sql`select id from busy`);
      await untilWaiting(database);
      await database.query(sql`select id from busy`);
      assert.equal(isDone, false);
    });
    assert.deepEqual(await migrating, ["1"]);
  });

  test("an index that is built concurrently waits for a long transaction, for longer than any other statement may", async () => {
    const text = `-- Outside a transaction.
      create index concurrently if not exists busy_id on busy (id);`;
    const migrations = [
      { name: "1", text: "alter table busy add column extra text" },
      { name: "2", text },
    ];
    let migrating: Promise<string[]> = Promise.resolve([]);
    await besideReader(async () => {
      migrating = migrate(database, { migrations, tries: { count: 1, lockMs: 50, pauseMs: 0 } });
      migrating.catch(() => undefined);
      await untilWaiting(database);
      await database.query(sql`select pg_sleep(0.3)`);
      await database.query(sql`insert into busy (id) values (1)`);
    });
    assert.deepEqual(await migrating, ["2"]);
  });

  test("outside a transaction, only the statement that got no lock is repeated", async () => {
    const text = `-- Outside a transaction.
      insert into once (id) values (1);
      alter table busy add column other text;`;
    const migrations = [
      { name: "1", text: "alter table busy add column extra text" },
      {
        name: "2",
        text: `-- Outside a transaction.
      create index concurrently if not exists busy_id on busy (id);`,
      },
      { name: "3", text },
    ];
    let migrating: Promise<string[]> = Promise.resolve([]);
    await besideReader(async () => {
      migrating = migrate(database, { migrations, tries: { count: 99, lockMs: 20, pauseMs: 5 } });
      for (let count = 0; count < 3; count += 1) await untilWaiting(database);
    });
    assert.deepEqual(await migrating, ["3"]);
    assert.equal((await database.query(sql`select id from once`)).length, 1);
  });
});

/** Waits until a session waits for a lock that it does not have. */
const untilWaiting = (database: Database): Promise<unknown> =>
  until(
    () => database.query(sql`select pid from pg_locks where not granted`),
    (rows) => rows.length > 0,
  );

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

  test("an index that could not be finished is repaired by the next run", async () => {
    const twice = {
      name: "3",
      text: `-- Room: payments.
        -- Outside a transaction.
        create unique index concurrently if not exists item_id on item (id);`,
    };
    const migrations = [{ name: "1", text }, twice];
    const isValid = async (): Promise<unknown> => {
      const rows = await database.query<{ valid: boolean }>(sql`
        select indisvalid as valid from pg_index where indexrelid = to_regclass('item_id')`);
      return rows[0]?.valid;
    };
    await database.execute("insert into item (id) values (7), (7)");
    await assert.rejects(migrate(database, { migrations }), /could not create unique index/);
    assert.equal(await isValid(), false);
    await database.execute("delete from item");
    assert.deepEqual(await migrate(database, { migrations }), ["3"]);
    assert.equal(await isValid(), true);
  });

  test("a migration that fails changes nothing, and the database can still be used", async () => {
    const broken = { name: "2", text: "create table other (id integer); select 1 / 0;" };
    const migrations = [{ name: "1", text }, broken];
    await assert.rejects(migrate(database, { migrations }), /division by zero/);
    const rows = await database.query(sql`select 1 from pg_tables where tablename = 'other'`);
    assert.deepEqual(rows, []);
  });
});
