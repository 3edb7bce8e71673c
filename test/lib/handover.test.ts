import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandover } from "#src/lib/handover.ts";

const madeAt = (limits: Partial<Parameters<typeof createHandover>[0]> = {}) => {
  let now = 0;
  const handover = createHandover<string>({
    milliseconds: 100,
    values: 2,
    clock: () => now,
    ...limits,
  });
  const wait = (milliseconds: number) => {
    now += milliseconds;
  };
  return { handover, wait };
};

test("a value is taken once", () => {
  const { handover } = madeAt();
  handover.give("one", "first");
  handover.give("one", "second");
  assert.equal(handover.take("one"), "second");
  assert.equal(handover.take("one"), undefined);
  assert.equal(handover.take("two"), undefined);
});

test("a value that is too old is not taken", () => {
  const { handover, wait } = madeAt();
  handover.give("one", "first");
  wait(99);
  handover.give("two", "second");
  wait(1);
  assert.equal(handover.take("one"), undefined);
  assert.equal(handover.take("two"), "second");
});

test("the oldest value is dropped when there are too many", () => {
  const { handover } = madeAt();
  handover.give("one", "1");
  handover.give("two", "2");
  handover.give("one", "again");
  handover.give("three", "3");
  assert.deepEqual(["one", "two", "three"].map(handover.take), ["again", undefined, "3"]);
});
