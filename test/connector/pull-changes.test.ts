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
    () => ({ partys: [] }),
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
    (lines) => lines === 2,
  );
  await pull.stop();
  // an outage is logged once, whatever fails in it
  assert.deepEqual(log, ["the core is out of service", "the core's changes are stored again"]);
  assert.deepEqual(asked.slice(0, 4), [null, "log 1", "log 1", "log 1"]);
});
