import assert from "node:assert/strict";
import { test } from "node:test";
import { drawnNow, type Run, readRuns, runTable, table } from "./runs.ts";

test("the page shows the recorded runs of simulated banks", () => {
  assert.equal(table.shown(), runTable(readRuns(), drawnNow()));
});

test("runs count for the present commands if a seed draws the same from them", () => {
  const run = { commit: "c0ffee", banks: 10, commands: 600, days: 730.5, findings: 0 };
  const runs: Run[] = [
    { ...run, drawn: "now", seed: 1 },
    { ...run, drawn: "now", seed: 2, findings: 1 },
    { ...run, drawn: "before", seed: 1 },
  ];
  assert.deepEqual(runTable(runs, "now").split("\n").slice(2), [
    "| c0ffee, seed 1 | 10 | 600 | 2.0 | 0 |",
    "| c0ffee, seed 2 | 10 | 600 | 2.0 | 1 |",
    "| **2 runs with the present commands** | 20 | 1200 | 4.0 | 1 |",
    "| 1 run with earlier commands | 10 | 600 | 2.0 | 0 |",
    "",
  ]);
  assert.equal(drawnNow(), drawnNow());
});
