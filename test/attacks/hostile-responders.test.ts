import assert from "node:assert/strict";
import { test } from "node:test";
import { makePlace } from "#test/cli/running-bank.ts";
import { attackWithResponders } from "./hostile-responders.ts";

// The short form; `npm run soak -- responders` has 20 rounds. The bank keeps no state of the
// attack, so it would be the same in both lanes.

test("huge, nested, unsigned, endless and slow answers about certificates neither end the bank nor are used, and other calls are answered while a list of 32 MB is read", async () => {
  const { folder } = await makePlace();
  const report = await attackWithResponders({ rounds: 1, folder });
  const { answers, calls, longLists, findings } = report;
  assert.deepEqual(findings, []);
  assert.equal(answers, 21);
  assert.ok(calls > 0);
  // its last entry counts, and a bystander got answers after it had come and before it was used
  assert.equal(longLists.length, 1);
});
