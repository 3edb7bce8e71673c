import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { pullChanges } from "#src/connector/pull-changes.ts";
import type { Database } from "#src/storage/database.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { until } from "#test/until.ts";

let database: Database;
before(async () => {
  database = await openEmpty();
});
after(async () => {
  await database?.close();
});

const party = (partyId: string) => ({ version: 1, partyId, name: "Ann" });

test("the work continues after an outage, after changes that are none, and after a refused fact", async () => {
  const feed = createAccountFeed(database);
  const log: string[] = [];
  const asked: (string | null)[] = [];
  const answers: (() => object)[] = [
    () => ({ parties: [party("p1")], position: { cursor: "log 1" } }),
    () => {
      throw new Error("the core is out of service");
    },
    () => {
      throw new Error("the core is out of service");
    },
    () => ({ position: 7 }),
    () => ({ parties: [party("p 2"), party("p3")], position: { cursor: "log 2" } }),
  ];
  const pull = pullChanges({
    feed,
    async readChanges(cursor) {
      asked.push(cursor);
      const next = answers.shift();
      return next ? next() : { position: { cursor: "log 2" } };
    },
    retryMs: 1,
    log: {
      error: ({ err }: { err?: Error }) => void log.push(String(err?.message)),
      warn: (_, said) => void log.push(said),
    },
  });
  await until(
    () => feed.cursor(),
    (cursor) => cursor === "log 2" && answers.length === 0,
  );
  await until(
    () => log.length,
    (lines) => lines === 3,
  );
  await pull.stop();
  // each cause of an outage is logged once
  const [outage, other, end] = log;
  assert.equal(outage, "the core is out of service");
  assert.match(other ?? "", /position must be an object/);
  assert.equal(end, "the core's changes are stored again");
  assert.equal(log.length, 3);
  assert.deepEqual(asked.slice(0, 5), [null, "log 1", "log 1", "log 1", "log 1"]);
});

test("a core whose cursor moves without changes is asked again after a pause", async () => {
  let asked = 0;
  const pull = pullChanges({
    feed: createAccountFeed(database),
    readChanges: async () => ({ position: { cursor: `empty ${++asked}` } }),
    retryMs: 1,
    log: { error: ({ err }: { err?: Error }) => assert.fail(err), warn: () => undefined },
  });
  const begun = performance.now();
  await until(
    () => asked,
    (times) => times > 1,
  );
  await pull.stop();
  assert.ok(performance.now() - begun > 900, "there is a pause of a second");
});

test("an outage whose failures all differ does not fill the log, and is named again the next time", async () => {
  const feed = createAccountFeed(database);
  const log: string[] = [];
  const source = { failed: 0, isUp: false };
  const pull = pullChanges({
    feed,
    async readChanges() {
      if (source.isUp) return { position: { cursor: "log 3" } };
      throw new Error(`request ${++source.failed} has failed`);
    },
    retryMs: 1,
    log: {
      error: ({ err }: { err?: Error }) => void log.push(String(err?.message)),
      warn: (_, said) => void log.push(said),
    },
  });
  await until(
    () => source.failed,
    (times) => times > 30,
  );
  const numbered = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `request ${from + index} has failed`);
  assert.deepEqual(log, numbered(1, 10));
  source.isUp = true;
  await until(
    () => log.length,
    (lines) => lines === 11,
  );
  assert.equal(log.at(-1), "the core's changes are stored again");
  const before = source.failed;
  source.isUp = false;
  await until(
    () => log.length,
    (lines) => lines === 21,
  );
  await pull.stop();
  assert.deepEqual(log.slice(11), numbered(before + 1, 10));
});
