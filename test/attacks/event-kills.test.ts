import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type EventKillReport, killUnderEvents } from "./event-kills.ts";

// The attack starts a separate PostgreSQL server, which it kills. It would be the same in both
// lanes, so it runs only in the first. Both tests use one attack: at each kill, one TPP receives
// events at a callback URL, and another polls.

const ways = [
  ["EV-21, EV-19: every event arrives at a callback URL", "callback URL"],
  ["EV-21, EV-16: every event arrives at a TPP that polls", "polling"],
] as const;

describe("events are neither lost nor reordered", () => {
  let report: EventKillReport;
  before(async () => {
    report = await killUnderEvents({ rounds: 4, seed: 20261122 });
  });

  for (const [title, way] of ways) {
    test(`${title}, and each order's events arrive in sequence, even if banks and PostgreSQL are killed`, () => {
      assert.deepEqual(report.findings, []);
      assert.equal(report.kills, 4);
      const { findings, events, received, mostOfOneOrder } = report.ways[way];
      assert.deepEqual(findings, []);
      assert.ok(events > 50, `${events} events`);
      assert.ok(received >= events);
      assert.ok(mostOfOneOrder >= 2, "some orders have several events");
    });
  }
});
