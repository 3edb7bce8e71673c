import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { sharedKeys } from "#test/harness.ts";
import { onPostgres } from "#test/postgres.ts";
import { archiveFile } from "#test/setup.ts";
import { runSimulations } from "./run-simulations.ts";

// `npm run soak -- simulate` simulates more banks, and looks for the shortest list of commands.

test("banks of two processes break no rule, whatever fails in their network, database and core", {
  skip: onPostgres && "the database of a simulation is the embedded one",
}, async (t) => {
  const seed = randomInt(1_000_000);
  t.diagnostic(`seed ${seed}`);
  // the run's database ends on this day, or on the day before
  const beginning = `${Temporal.Now.plainDateISO("UTC")}T23:00:00Z`;
  const plan = { template: archiveFile("seeded"), beginning, seed, runs: 2 };
  const report = await runSimulations({ ...plan, generateKey: sharedKeys() });
  assert.deepEqual(report.findings, [], `${report.failed.join("\n")}\n${report.again}`);
  assert.equal(report.runs, 2);
});
