import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createProver } from "#scripts/prove-linear.ts";
import { type LongStringReport, sendLongStrings } from "./long-strings/attack.ts";

// The short form: which regular expressions run on long strings, whatever time they take. `npm run
// soak -- strings` measures how long the event loop stops.

/**
 * Expressions of libraries for which recheck finds no proof in time, by their beginnings. Each has
 * a reason to be linear, and its input is bounded by the size of a body.
 */
const unproved: Record<string, string> = {
  // TypeBox's URI, of 2,600 characters
  "^[a-z][a-z0-9+\\-.]*:(?:\\/\\/": "a character can continue each part in one way only",
};

let report: LongStringReport;
before(async () => {
  report = await sendLongStrings({ seed: 20261124, share: null, recordsExpressions: true });
});

test("strings reach every route of every listener and the body of each that reads one, or a reason says why not", () => {
  assert.deepEqual(report.unreached, []);
});

test("every regular expression that runs on a string of 64 kB in any member, header, field or file needs linear time", () => {
  const { sent, statuses, expressions, findings } = report;
  assert.deepEqual(findings, []);
  assert.ok(sent > 900, `${sent} requests`);
  // some strings pass all checks, so that they reach the whole interface
  for (const status of [201, 400, 401, 404]) {
    assert.ok(statuses.has(status), `${status} is not in ${[...statuses.keys()]}`);
  }
  // that of amounts, of which a quadratic one has stopped a process
  assert.ok(expressions.some(([source]) => source === String.raw`^\d+\.\d+$`));
  const prover = createProver();
  const faults = expressions.flatMap(([source, flags]) => {
    const isKnown = Object.keys(unproved).some((beginning) => source.startsWith(beginning));
    const fault = isKnown ? null : prover.findFault(source, flags);
    return fault === null ? [] : [`/${source}/${flags}: ${fault}`];
  });
  prover.save();
  assert.deepEqual(faults, []);
});
