import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { unavailableOf } from "#src/lib/unavailable.ts";
import type { Database } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { openProxy, type TcpProxy } from "#test/attacks/tcp-proxy.ts";
import { onPostgres, startPostgres, type TestPostgres } from "#test/postgres.ts";

// The embedded database has no connections to lose.
const skip = onPostgres ? false : "needs a PostgreSQL server";

const limits = {
  connectSeconds: 2,
  statementSeconds: 3,
  transactionSeconds: 4,
  lockSeconds: 1,
  waitSeconds: 1,
  probeSeconds: 1,
};

describe("connections to PostgreSQL", { skip }, () => {
  let server: TestPostgres;
  let url: string;
  let proxy: TcpProxy;
  let database: Database;
  let observer: Database;
  before(async () => {
    server = await startPostgres();
    url = await server.createDatabase(`lost_${randomUUID().replaceAll("-", "")}`);
    proxy = await openProxy(() => new URL(url).host);
    database = await openPostgres(proxy.url(url), 2, limits);
    observer = await openPostgres(url, 1);
    await observer.execute("create table thing (id integer primary key, name text)");
  });
  after(async () => {
    await database?.close();
    await observer?.close();
    await proxy?.close();
    await server?.stop();
  });

  test("a transaction whose connection breaks fails with Unavailable", async () => {
    const sleeping = database.transaction((on) => on.query(sql`select pg_sleep(20)`));
    const rejected = assert.rejects(sleeping, isOutage);
    await terminate("%pg_sleep(20)%");
    await rejected;
    const idle = database.transaction(async (on) => {
      await on.query(sql`insert into thing (id, name) values (1, 'lost')`);
      await terminate("%insert into thing%");
      await new Promise((resolve) => setTimeout(resolve, 200));
    });
    await assert.rejects(idle, isOutage);
    assert.deepEqual(await things(), []);
  });

  test("every connection can be lost again and again, under load", async () => {
    for (let round = 0; round < 3; round += 1) {
      const asked = Array.from({ length: 40 }, (_, index) => [
        database.query(sql`select ${index}::integer as n`),
        database.read(sql`select ${index}::integer as n`),
        database.transaction((on) => on.query(sql`select pg_sleep(0.05)`)),
      ]);
      const answers = Promise.allSettled(asked.flat());
      await terminate("%");
      for (const answer of await answers) {
        if (answer.status === "rejected") assert.ok(isOutage(answer.reason), answer.reason);
      }
    }
    await untilServes();
    const rows = await Promise.all([1, 2, 3].map((n) => database.query(sql`select ${n}::integer`)));
    assert.equal(rows.length, 3);
  });

  test("a statement that takes too long is Unavailable, and its connection stays", async () => {
    await assert.rejects(database.query(sql`select pg_sleep(20)`), isOutage);
    assert.deepEqual(await database.query(sql`select 1 as one`), [{ one: 1 }]);
  });

  test("a lock that is held too long is Unavailable", async () => {
    await observer.transaction(async (on) => {
      await on.query(sql`lock table thing`);
      await assert.rejects(database.query(sql`select name from thing`), isOutage);
    });
    assert.deepEqual(await database.query(sql`select name from thing`), []);
  });

  test("a transaction that stays open too long is cut", async () => {
    const startedAt = performance.now();
    const open = database.transaction(async (on) => {
      while (performance.now() - startedAt < 20_000) await on.query(sql`select pg_sleep(0.2)`);
    });
    await assert.rejects(open, isOutage);
    assert.ok(performance.now() - startedAt < 15_000);
  });

  test("waiting for a connection is limited in time and number", async () => {
    const sleep = () => database.transaction((on) => on.query(sql`select pg_sleep(2)`));
    const answers = await Promise.allSettled(Array.from({ length: 600 }, sleep));
    const refused = answers.filter((answer) => answer.status === "rejected");
    assert.ok(refused.length > 590, `${refused.length}`);
    for (const { reason } of refused) assert.ok(isOutage(reason), reason);
    assert.deepEqual(await database.query(sql`select 1 as one`), [{ one: 1 }]);
  });

  test("when a host falls silent, waiting statements fail within seconds, and it serves again afterwards", async () => {
    proxy.silence();
    const startedAt = performance.now();
    const asked = [
      database.query(sql`select 1`),
      database.read(sql`select ${1}::integer`),
      database.transaction((on) => on.query(sql`select 1`)),
      database.execute("select 1"),
      database.alone("seed", (on) => on.query(sql`select 1`)),
      database.probe(),
    ];
    for (const answer of await Promise.allSettled(asked)) {
      assert.ok(answer.status === "rejected" && isOutage(answer.reason), JSON.stringify(answer));
    }
    assert.ok(performance.now() - startedAt < 10_000);
    // from now on, no statement waits: the fastest of some is fast, even on a busy machine
    const took: number[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const laterAt = performance.now();
      await assert.rejects(database.query(sql`select 1`), isOutage);
      await assert.rejects(database.probe(), isOutage);
      took.push(performance.now() - laterAt);
    }
    assert.ok(Math.min(...took) < 1500, `${took}`);
    proxy.resume();
    await untilServes();
    await database.transaction((on) => on.query(sql`select 1`));
  });

  test("opening and closing a database on a silent host finish within seconds", async () => {
    const silenced = await openProxy(() => new URL(url).host);
    const opened = await openPostgres(silenced.url(url), 1, { ...limits, probeSeconds: 60 });
    silenced.silence();
    const startedAt = performance.now();
    await assert.rejects(openPostgres(silenced.url(url), 1, limits), isOutage);
    await opened.close();
    assert.ok(performance.now() - startedAt < 10_000);
    await silenced.close();
  });

  async function terminate(query: string): Promise<void> {
    const deadline = performance.now() + 10_000;
    for (;;) {
      const rows = await observer.query(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like ${query}
          and client_port in (select unnest(${proxy.ports()}::integer[]))`);
      if (rows.length > 0) return;
      assert.ok(performance.now() < deadline, `nothing runs ${query}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async function untilServes(): Promise<void> {
    const deadline = performance.now() + 15_000;
    for (;;) {
      try {
        await database.probe();
        await database.query(sql`select 1`);
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  const things = () => observer.query(sql`select id from thing`);
});

const isOutage = (error: unknown): boolean => unavailableOf(error)?.part === "database";
