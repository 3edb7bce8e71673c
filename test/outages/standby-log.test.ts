import assert from "node:assert/strict";
import { test } from "node:test";
import { createPace } from "#src/lib/clock.ts";
import { logStandbys } from "#src/server/health/observe-standbys.ts";
import type { StandbyReport } from "#src/storage/database.ts";
import { HandTimers } from "#test/hand-timers.ts";

test("a standby that is not used is logged once with its reason, and once when it is used again", async () => {
  const timers = new HandTimers();
  const standby: StandbyReport = {
    name: "db2:5432",
    state: "in use",
    reason: null,
    reads: 0,
    bytesBehind: 0,
  };
  const log: unknown[] = [];
  const end = logStandbys(
    { standbyUse: () => ({ standbys: [standby], readsOnPrimary: 0 }) },
    createPace(false, timers),
    { warn: (details, text) => void log.push([details, text]) },
  );
  await timers.pass(3000);
  assert.deepEqual(log, []);
  Object.assign(standby, { state: "not answering", reason: "db2:5432 was lost" });
  await timers.pass(3000);
  Object.assign(standby, { reason: "db2:5432: connect ECONNREFUSED" });
  await timers.pass(3000);
  Object.assign(standby, { state: "behind", reason: "it lacks a part of the primary's log" });
  await timers.pass(3000);
  Object.assign(standby, { state: "in use", reason: null });
  await timers.pass(3000);
  assert.deepEqual(log, [
    [
      { standby: "db2:5432", state: "not answering", reason: "db2:5432 was lost" },
      "a standby is not used for reads",
    ],
    [{ standby: "db2:5432" }, "a standby is used for reads again"],
  ]);
  await end();
});
