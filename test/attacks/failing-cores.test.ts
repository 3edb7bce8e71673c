import assert from "node:assert/strict";
import { test } from "node:test";
import { brokenCores } from "#test/connector/kit/broken-cores.ts";
import { attackCores } from "./failing-cores.ts";

// The short form; `npm run soak -- cores` runs every broken core of the kit. It starts its own
// PostgreSQL server, so it would be the same in both lanes and runs only in the first.

// it debits an account again when a payment is executed again
const cores = brokenCores.filter(({ caughtBy }) => caughtBy === "K4-13");

test("each order is paid once and account data is served while a core that pays twice and a bank are killed", async () => {
  const report = await attackCores({ cores, seed: 20261129 });
  assert.deepEqual(report.findings, []);
  assert.deepEqual(report.kills, { core: 1, bank: 1 });
  const [{ load, states } = { load: null, states: {} }] = report.cores;
  assert.ok((load?.acknowledged ?? 0) > 20, "orders were acknowledged");
  assert.ok((load?.approvals.made ?? 0) > 0, "customers approved orders");
  assert.ok((load?.reads ?? 0) > 0, "account data was read");
  assert.deepEqual(Object.keys(states).sort(), ["ACCC settled", "RJCT refused"]);
});
