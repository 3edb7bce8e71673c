import assert from "node:assert/strict";
import { test } from "node:test";
import { killUnderEvents } from "./event-kills.ts";

// It starts its own PostgreSQL server to kill, so it would be the same in both lanes and runs only
// in the first.

test("EV-21, EV-19: every event arrives, in order for each order, although banks and PostgreSQL are killed", async () => {
  const report = await killUnderEvents({ rounds: 4, seed: 20261122 });
  assert.deepEqual(report.findings, []);
  assert.equal(report.kills, 4);
  assert.ok(report.events > 50, `${report.events} events`);
  assert.ok(report.received >= report.events);
  assert.ok(report.mostOfOneOrder >= 2, "some orders have several events");
});
