import assert from "node:assert/strict";
import { test } from "node:test";
import { failOver } from "#test/attacks/failover.ts";
import { onPostgres } from "#test/postgres.ts";

const skip = onPostgres ? false : "needs PostgreSQL servers";

test("no acknowledged order is lost or executed twice when primaries and banks fail", {
  skip,
}, async (context) => {
  const events: string[] = [];
  const report = await failOver({
    rounds: 3,
    seed: 20261122,
    onProgress: (text) => events.push(text),
  });
  context.diagnostic(`${events.join("; ")}; ${[...report.answers].join(" ")}`);
  assert.deepEqual(report.findings, []);
  assert.ok(report.acknowledged > 30, `${report.acknowledged} orders`);
});
