import assert from "node:assert/strict";
import { test } from "node:test";
import { killUnderLoad } from "./kills.ts";

// The short form; `npm run soak -- kills` has two dozen rounds. It starts its own PostgreSQL server
// to kill, so it would be the same in both lanes and runs only in the first.

test("every order acknowledged while a bank and PostgreSQL are killed is stored exactly once", async () => {
  const { findings, acknowledged, kills } = await killUnderLoad({ rounds: 2, seed: 20261122 });
  assert.deepEqual(findings, []);
  assert.deepEqual(kills, { bank: 1, postgres: 1, both: 0 });
  assert.ok(acknowledged > 20, `${acknowledged} orders were acknowledged`);
});
