import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { killUnderEvents } from "./event-kills.ts";

// The test starts a separate PostgreSQL server, which it kills. It would be the same in both lanes,
// so it runs only in the first.

const ways = [
  ["EV-21, EV-19: every event arrives at a callback URL", "callback URL"],
  ["EV-21, EV-16: every event arrives at a TPP that polls", "polling"],
] as const;

// Both tests spend half of their time waiting: for banks to start again, and for the leases of
// killed banks to expire.
describe("events are neither lost nor reordered", { concurrency: true }, () => {
  for (const [title, way] of ways) {
    test(`${title}, and each order's events arrive in sequence, even if banks and PostgreSQL are killed`, async () => {
      const report = await killUnderEvents({ way, rounds: 4, seed: 20261122 });
      assert.deepEqual(report.findings, []);
      assert.equal(report.kills, 4);
      assert.ok(report.events > 50, `${report.events} events`);
      assert.ok(report.received >= report.events);
      assert.ok(report.mostOfOneOrder >= 2, "some orders have several events");
    });
  }
});
