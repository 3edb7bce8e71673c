import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Registry } from "prom-client";
import { systemClock } from "#src/lib/clock.ts";
import type { LogEntry, WaitingEntry } from "#src/request-log/entry.ts";
import { findEntries } from "#src/request-log/find-requests.ts";
import { openRequestLog, type RequestLog } from "#src/request-log/request-log.ts";
import { purgeLog, storeChunk } from "#src/request-log/store.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { copySeeded } from "#test/harness.ts";

let database: Database;
before(async () => {
  database = await copySeeded();
});
after(() => database?.close());

const entryOf = (interactionId: string): LogEntry => ({
  at: Date.now(),
  bankTime: Date.now(),
  milliseconds: 1,
  interactionId,
  method: "GET",
  path: "/api/open-banking/v4.0/aisp/accounts",
  api: "aisp-v4.0",
  operation: "GetAccounts",
  status: 200,
  clientId: "client",
  consentId: null,
  resourceId: null,
  codes: [],
  idempotencyKey: null,
  isReplay: false,
  passed: [0.1, 0.2],
});
const waiting = (interactionId: string, isAnonymous = false): WaitingEntry => ({
  entry: entryOf(interactionId),
  isAnonymous,
  bodies: null,
  bytes: 500,
});
const store = (ids: readonly string[], isAnonymous = false, now = systemClock.now()) =>
  storeChunk(database, { isAnonymous, entries: ids.map(entryOf), bodies: null }, now);
const written = { flush: async () => undefined };
const idsOf = async (filter: { after?: string; limit?: number } = {}) =>
  (await findEntries(database, written, { limit: 200, ...filter })).entries;
const clear = () => database.query(sql`delete from request_log_chunk`);
const limits = { entries: 100_000, bytes: 64_000_000, days: 7 };

/** Opens a log in which nothing fails, unless the test says otherwise. */
const openLog = (given: Partial<Parameters<typeof openRequestLog>[0]> = {}): RequestLog =>
  openRequestLog({
    database,
    machineClock: systemClock,
    registry: new Registry(),
    limits,
    keepsBodies: false,
    onFailure: (error) => assert.fail(String(error)),
    ...given,
  });

test("a follower misses nothing while several writers write", async () => {
  await clear();
  const wanted = new Set<string>();
  const writers = Array.from({ length: 40 }, async (_, writer) => {
    const ids = [`${writer}-a`, `${writer}-b`];
    for (const id of ids) wanted.add(id);
    await store(ids);
  });
  const seen = new Set<string>();
  let after: string | undefined;
  const look = async (): Promise<void> => {
    const found = await idsOf(after === undefined ? {} : { after });
    after = found[0]?.logId ?? after;
    for (const { interactionId } of found) seen.add(interactionId);
  };
  const all = Promise.all(writers);
  let isOver = false;
  void all.then(() => {
    isOver = true;
  });
  while (!isOver) await look();
  await all;
  await look();
  assert.deepEqual([...seen].sort(), [...wanted].sort());
});

test("the oldest requests go when there are too many, too large or too old ones", async () => {
  const now = systemClock.now();
  const cases: [title: string, limits: Parameters<typeof purgeLog>[1], left: string[]][] = [
    // three quarters of 8 are 6: the two newest rows fit
    ["entries", { ...limits, entries: 8 }, ["3-1", "3-0", "2-1", "2-0", "1-1", "1-0"]],
    ["bytes", { ...limits, bytes: 2400 }, ["3-1", "3-0", "2-1", "2-0"]],
    ["age", { ...limits, days: 1 }, ["3-1", "3-0", "2-1", "2-0"]],
  ];
  for (const [title, given, left] of cases) {
    await clear();
    for (const row of [0, 1, 2, 3]) {
      const age = now.subtract({ hours: 24 * (3 - row) });
      await store([`${row}-0`, `${row}-1`], false, age);
    }
    await purgeLog(database, given, now);
    const ids = (await idsOf()).map(({ interactionId }) => interactionId);
    assert.deepEqual(ids, left, title);
  }
});

test("unknown callers cannot push the requests of TPPs out of the log", async () => {
  await clear();
  await store(["known"]);
  for (let turn = 0; turn < 20; turn += 1) await store([`unknown ${turn}`], true);
  await purgeLog(database, { ...limits, entries: 8 }, systemClock.now());
  const ids = (await idsOf()).map(({ interactionId }) => interactionId);
  assert.deepEqual(ids, ["unknown 19", "unknown 18", "known"]);
});

test("what does not fit into memory is dropped and counted, and the rest is written", async () => {
  await clear();
  const registry = new Registry();
  const log = openLog({ registry });
  for (let turn = 0; turn < 5000; turn += 1) log.add(waiting(`known ${turn}`));
  for (let turn = 0; turn < 300; turn += 1) log.add(waiting(`unknown ${turn}`, true));
  await log.close();
  log.add(waiting("too late"));
  const [row] = await database.query<{ entries: number }>(
    sql`select sum(entry_count)::integer as entries from request_log_chunk`,
  );
  assert.equal(row?.entries, 4200);
  assert.match(
    await registry.metrics(),
    /^aldgate_request_log_dropped_total\{cause="full"\} 1101$/m,
  );
});

test("large requests of unknown callers take no memory from those of TPPs", async () => {
  await clear();
  const log = openLog();
  for (const name of ["large", "dropped"]) log.add({ ...waiting(name, true), bytes: 9_000_000 });
  log.add(waiting("known"));
  await log.close();
  const ids = (await idsOf()).map(({ interactionId }) => interactionId);
  assert.deepEqual(ids.sort(), ["known", "large"]);
});

test("an entry whose bodies cannot be made is written without them, with all others", async () => {
  await clear();
  const failures: unknown[] = [];
  const log = openLog({ keepsBodies: true, onFailure: (error) => failures.push(error) });
  log.add(waiting("one"));
  const bodies = () => {
    throw new RangeError("too deep");
  };
  log.add({ ...waiting("two"), bodies });
  log.add(waiting("three"));
  await log.close();
  const ids = (await idsOf()).map(({ interactionId }) => interactionId);
  assert.deepEqual(ids.sort(), ["one", "three", "two"]);
  assert.equal(failures.length, 1);
});

test("if the database refuses, requests are counted as dropped, and later ones are written", async () => {
  await clear();
  const registry = new Registry();
  let isDown = true;
  const failures: unknown[] = [];
  const log = openLog({
    database: {
      query: (statement) =>
        isDown ? Promise.reject(new Error("down")) : database.query(statement),
    },
    registry,
    onFailure: (error) => failures.push(error),
  });
  log.add(waiting("lost"));
  await log.flush();
  isDown = false;
  log.add(waiting("kept"));
  await log.close();
  assert.equal(failures.length, 1);
  assert.deepEqual(
    (await idsOf()).map(({ interactionId }) => interactionId),
    ["kept"],
  );
  assert.match(
    await registry.metrics(),
    /^aldgate_request_log_dropped_total\{cause="database"\} 1$/m,
  );
});

test("an index gives the newest requests first, without a sort of the whole log", async () => {
  await clear();
  for (let turn = 0; turn < 3; turn += 1) await store([`request ${turn}`]);
  const plans: string[] = [];
  const explained: Pick<Database, "query"> = {
    query: (statement) =>
      database.transaction(async (on) => {
        // the table is small here
        await on.query(sql`select set_config(name, 'off', true)
          from unnest('{enable_seqscan,enable_bitmapscan,enable_sort}'::text[]) name`);
        if (!statement.text.includes("order by c.written_at")) return on.query(statement);
        const text = `explain ${statement.text}`;
        const lines = await on.query<Record<string, string>>({ ...statement, text });
        plans.push(lines.map((line) => line["QUERY PLAN"]).join("\n"));
        return on.query(statement);
      }),
  };
  const before = (await idsOf({ limit: 1 })).at(0)?.logId ?? "";
  for (const filter of [{}, { before }, { since: systemClock.now().subtract({ hours: 1 }) }]) {
    await findEntries(explained, written, { limit: 1, ...filter });
  }
  assert.equal(plans.length, 3);
  for (const plan of plans) {
    assert.match(plan, /Index Scan Backward using request_log_chunk_time/);
    assert.doesNotMatch(plan, /Sort/);
  }
});

/** Requests of several processes, which are written late and in any order. */
const ofProcesses: [isAnonymous: boolean, times: number[]][] = [
  [false, [10, 30, 50]],
  [true, [20, 40]],
  [false, [15, 35, 35]],
  [true, [5]],
  [false, [60]],
];
const since1970 = 1_796_000_000_000;

async function storeAt(times: readonly number[], isAnonymous: boolean): Promise<void> {
  const entries = times.map((time, index) => ({
    ...entryOf(`${time}-${index}`),
    at: since1970 + time * 100,
    // a sandbox's clock goes back when the sandbox is reset
    bankTime: since1970 - time * 1_000_000,
  }));
  const newest = Temporal.Instant.fromEpochMilliseconds(Math.max(...entries.map(({ at }) => at)));
  await storeChunk(database, { isAnonymous, entries, bodies: null }, newest);
}

test("pages list the requests of all processes in the order of time, and lose none", async () => {
  await clear();
  for (const [isAnonymous, times] of ofProcesses) await storeAt(times, isAnonymous);
  const times: number[] = [];
  let before: string | undefined;
  for (;;) {
    const filter = { limit: 2, ...(before === undefined ? {} : { before }) };
    const { entries, hasMore } = await findEntries(database, written, filter);
    times.push(...entries.map(({ at }) => (at - since1970) / 100));
    before = entries.at(-1)?.logId;
    // what comes meanwhile does not move the pages
    await storeAt([70, 80], false);
    if (!hasMore) break;
  }
  const all = ofProcesses.flatMap(([, some]) => some).sort((one, other) => other - one);
  assert.deepEqual(times, all);
});

test("a follower gets every request once, however many come at once and however late", async () => {
  await clear();
  await storeAt([10, 20], false);
  const first = await findEntries(database, written, { limit: 1 });
  const seen: string[] = first.entries.map(({ interactionId }) => interactionId);
  let { latest } = first;
  const follow = async (): Promise<void> => {
    for (;;) {
      const more = await findEntries(database, written, { limit: 2, after: latest });
      seen.push(...more.entries.map(({ interactionId }) => interactionId));
      latest = more.latest;
      if (more.entries.length < 2) return;
    }
  };
  await follow();
  await storeAt([21, 22, 23, 24, 25], false);
  await storeAt([11], true); // older than all that the follower has seen
  await follow();
  await follow();
  assert.deepEqual(seen.sort(), ["11-0", "20-1", "21-0", "22-1", "23-2", "24-3", "25-4"]);
});

test("requests before and after a pause or a jump of the clock are written apart", async () => {
  await clear();
  const log = openLog();
  const times = [0, 100, 90_000, 90_100, 200];
  for (const at of times) {
    const { entry, ...rest } = waiting(String(at));
    log.add({ ...rest, entry: { ...entry, at: since1970 + at } });
  }
  await log.close();
  const found = (await idsOf()).map(({ interactionId }) => Number(interactionId));
  assert.deepEqual(found, [90_100, 90_000, 200, 100, 0]);
});
