import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { batched } from "#src/lib/batched.ts";
import { Unavailable, unavailableOf } from "#src/lib/unavailable.ts";

/** A requested batch, which the test completes when it wants to. */
type Asked = { asks: readonly number[]; end: (failure?: Error) => void };

function watch(limits: { asks: number; batches: number }) {
  const batches: Asked[] = [];
  const double = batched<number, number>(limits, (asks) => {
    const { promise, resolve, reject } = Promise.withResolvers<number[]>();
    const end = (failure?: Error) =>
      failure ? reject(failure) : resolve(asks.map((ask) => ask * 2));
    batches.push({ asks, end });
    return promise;
  });
  const asked = () => batches.map(({ asks }) => asks);
  return { batches, double, asked };
}

const limits = { asks: 3, batches: 2 };

test("concurrent calls share a batch and get their own results, and a single call does not wait", async () => {
  const { batches, double, asked } = watch(limits);
  const alone = double(1);
  await nextTurn();
  const together = [double(2), double(3)];
  await nextTurn();
  assert.deepEqual(asked(), [[1], [2, 3]]);
  for (const { end } of batches.toReversed()) end();
  assert.deepEqual(await Promise.all([alone, ...together]), [2, 4, 6]);
});

test("at the limit of concurrent batches, further calls wait and then share a batch", async () => {
  const { batches, double, asked } = watch(limits);
  const first = [double(1), double(2), double(3), double(4)];
  await nextTurn();
  const later = [double(5), double(6), double(7), double(8)];
  await nextTurn();
  assert.deepEqual(asked(), [[1, 2, 3], [4]]);
  batches[1]?.end();
  assert.equal(await first[3], 8);
  await nextTurn();
  assert.deepEqual(asked(), [[1, 2, 3], [4], [5, 6, 7]]);
  batches[0]?.end();
  batches[2]?.end();
  assert.deepEqual(await Promise.all([...first, ...later.slice(0, 3)]), [2, 4, 6, 8, 10, 12, 14]);
  await nextTurn();
  batches[3]?.end();
  assert.equal(await later[3], 16);
});

test("a failed batch is run again call by call, and each call fails for itself", async () => {
  const seen: number[][] = [];
  const share = batched<number, number>(limits, async (asks) => {
    seen.push([...asks]);
    if (asks.includes(0)) throw new RangeError("by nothing");
    return asks.map((ask) => 12 / ask);
  });
  const answers = await Promise.allSettled([share(2), share(0), share(3)]);
  assert.deepEqual(seen, [[2, 0, 3], [2], [0], [3]]);
  assert.deepEqual(
    answers.map((answer) => (answer.status === "fulfilled" ? answer.value : answer.reason.message)),
    [6, "by nothing", 4],
  );
  assert.equal(await share(4), 3);
});

test("a batch that fails in an outage is not run again", async () => {
  const seen: number[][] = [];
  const share = batched<number, number>(limits, async (asks) => {
    seen.push([...asks]);
    throw new Error("failed", { cause: new Unavailable("database", "it is gone", {}) });
  });
  const answers = await Promise.allSettled([share(1), share(2), share(3)]);
  assert.deepEqual(seen, [[1, 2, 3]]);
  for (const answer of answers) {
    assert.ok(answer.status === "rejected" && unavailableOf(answer.reason));
  }
});
