import assert from "node:assert/strict";
import { test } from "node:test";
import { createPace } from "#src/lib/clock.ts";
import { HandTimers } from "#test/hand-timers.ts";

/** Counts the runs of a second's work. */
function beating(mayIdle: boolean) {
  const timers = new HandTimers();
  const pace = createPace(mayIdle, timers);
  let runs = 0;
  const end = pace.every(1000, () => {
    runs += 1;
  });
  const runsIn = async (seconds: number): Promise<number> => {
    const before = runs;
    await timers.pass(seconds * 1000);
    return runs - before;
  };
  return { pace, end, runsIn };
}

test("work of a pace that may not idle always runs at its interval", async () => {
  const { runsIn } = beating(false);
  assert.equal(await runsIn(1000), 1000);
});

test("work runs at a twentieth of its pace ten seconds after the last stir, and after a minute at a sixth of that", async () => {
  const { pace, runsIn } = beating(true);
  for (let minute = 0; minute < 12; minute += 1) {
    pace.stir();
    assert.equal(await runsIn(5), 5);
  }
  await runsIn(5);
  assert.equal(await runsIn(40), 2);
  await runsIn(135);
  assert.equal(await runsIn(2400), 20);
});

test("a stir runs the work of an idle pace immediately, and then at its interval", async () => {
  const { pace, runsIn } = beating(true);
  await runsIn(115);
  pace.stir();
  assert.equal(await runsIn(0), 1);
  assert.equal(await runsIn(5), 5);
});

test("work does not run again before it has ended, and its end waits for a run in progress", async () => {
  const timers = new HandTimers();
  const pace = createPace(true, timers);
  const ends: (() => void)[] = [];
  const stop = pace.every(1000, () => new Promise<void>((resolve) => ends.push(resolve)));
  const passed = timers.pass(5000);
  pace.stir();
  assert.equal(ends.length, 1);
  let isStopped = false;
  const stopped = stop().then(() => {
    isStopped = true;
  });
  await Promise.resolve();
  assert.equal(isStopped, false);
  ends[0]?.();
  await stopped;
  // nothing is planned any more
  pace.every(1000, () => undefined);
  await passed;
  assert.equal(ends.length, 1);
});
