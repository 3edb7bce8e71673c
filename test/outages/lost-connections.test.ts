import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { unavailableOf } from "#src/lib/unavailable.ts";
import type { Database } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { openProxy, type TcpProxy } from "#test/attacks/tcp-proxy.ts";
import { onPostgres, startPostgres, type TestPostgres } from "#test/postgres.ts";
import { patienceMs, until } from "#test/until.ts";

// The embedded database has no connections to lose.
const skip = onPostgres ? false : "needs a PostgreSQL server";

// long enough for a busy machine to open a connection
const limits = {
  connectSeconds: 3,
  statementSeconds: 5,
  transactionSeconds: 6,
  lockSeconds: 1,
  waitSeconds: 3,
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

  test("a transaction that stays open too long is cut", { timeout: patienceMs }, async () => {
    const open = database.transaction(async (on) => {
      for (;;) await on.query(sql`select pg_sleep(0.2)`);
    });
    await assert.rejects(open, isOutage);
  });

  test("waiting for a connection is limited in time and number", async () => {
    const sleep = () => database.transaction((on) => on.query(sql`select pg_sleep(4.5)`));
    const answers = await Promise.allSettled(Array.from({ length: 600 }, sleep));
    const refused = answers.filter((answer) => answer.status === "rejected");
    assert.ok(refused.length > 590, `${refused.length}`);
    for (const { reason } of refused) assert.ok(isOutage(reason), reason);
    assert.deepEqual(await database.query(sql`select 1 as one`), [{ one: 1 }]);
  });

  test("when a host falls silent, waiting statements fail, later ones fail immediately, and statements succeed again afterwards", {
    timeout: patienceMs,
  }, async () => {
    proxy.silence();
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
    const ask = () => database.query(sql`select 1`);
    // the last connections to the host are dropped a moment later
    await until(() => failsAtOnce(ask), Boolean);
    for (const again of [ask, database.probe, ask]) assert.ok(await failsAtOnce(again));
    proxy.resume();
    await untilServes();
    await database.transaction((on) => on.query(sql`select 1`));
  });

  test("opening a database on a silent host fails, and closing one succeeds", {
    timeout: patienceMs,
  }, async () => {
    const silenced = await openProxy(() => new URL(url).host);
    const opened = await openPostgres(silenced.url(url), 1, { ...limits, probeSeconds: 60 });
    silenced.silence();
    await assert.rejects(openPostgres(silenced.url(url), 1, limits), isOutage);
    await opened.close();
    await silenced.close();
  });

  test("a connection is not lost if the process pauses for longer than a time limit", async () => {
    const paused = await openPostgres(url, 1, { ...limits, probeSeconds: 60 });
    try {
      const probing = paused.probe();
      await new Promise(process.nextTick); // the statement is sent, and its answer cannot be read
      const end = performance.now() + 4500;
      while (performance.now() < end);
      await probing;
    } finally {
      await paused.close();
    }
  });

  /** Waits until connections through the proxy run such a query, and terminates them. */
  async function terminate(query: string): Promise<void> {
    const end = () =>
      observer.query(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like ${query}
          and client_port in (select unnest(${proxy.ports()}::integer[]))`);
    await until(end, (rows) => rows.length > 0);
  }

  async function untilServes(): Promise<void> {
    const serves = async (): Promise<boolean> => {
      await database.probe();
      await database.query(sql`select 1`);
      return true;
    };
    await until(() => serves().catch(() => false), Boolean);
  }

  const things = () => observer.query(sql`select id from thing`);
});

const isOutage = (error: unknown): boolean => unavailableOf(error)?.part === "database";

/** Runs a statement that must fail; returns whether it did before any timer or network event. */
async function failsAtOnce(ask: () => Promise<unknown>): Promise<boolean> {
  let hasFailed = false;
  const asked = assert.rejects(ask(), isOutage).then(() => {
    hasFailed = true;
  });
  await setImmediate();
  const atOnce = hasFailed;
  await asked;
  return atOnce;
}
