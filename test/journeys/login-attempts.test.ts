import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { judgeAttempt } from "#src/auth/login/attempts.ts";
import { systemClock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { copySeeded } from "#test/harness.ts";

let database: Database;
before(async () => {
  database = await copySeeded();
});
after(() => database?.close());

/**
 * Makes many concurrent attempts, each with the result `answer`. Returns how many were checked, and
 * the results.
 */
async function attempt(subject: string, answer: true | null) {
  let judged = 0;
  const limits = [
    { subject, allowed: 5 },
    { subject: `${subject} from anywhere`, allowed: 50 },
  ];
  const judge = async () => {
    judged += 1;
    await sleep(20);
    return answer;
  };
  const deps = { database, clock: systemClock };
  const all = await Promise.all(
    Array.from({ length: 30 }, () => judgeAttempt(deps, limits, judge)),
  );
  return { judged, states: all.map(({ state }) => state).sort() };
}

test("concurrent correct attempts all succeed", async () => {
  const { judged, states } = await attempt("right", true);
  assert.equal(judged, 30);
  assert.deepEqual(new Set(states), new Set(["right"]));
});

test("five of many concurrent wrong attempts are checked, and the others wait", async () => {
  const { judged, states } = await attempt("wrong", null);
  assert.equal(judged, 5);
  assert.equal(states.filter((state) => state === "wait").length, 25);
});
