import assert from "node:assert/strict";
import { test } from "node:test";
import { createHandover, keepRecent } from "#src/lib/recent.ts";

const madeWith = (limits: Parameters<typeof keepRecent>[0]) => {
  const made: string[] = [];
  const keep = keepRecent(limits, (text) => {
    made.push(text);
    return { text };
  });
  return { made, keep };
};

test("equal texts share one value", () => {
  const { made, keep } = madeWith({ values: 2, textLength: 10 });
  assert.equal(keep("one"), keep(["o", "ne"].join("")));
  assert.deepEqual(made, ["one"]);
});

test("a kept value cannot be changed, nor anything in it", () => {
  const keep = keepRecent({ values: 2, textLength: 10 }, (text) => ({ list: [{ text }] }));
  const { list } = keep("one");
  assert.throws(() => Object.assign(list[0] ?? {}, { text: "other" }), TypeError);
  assert.throws(() => list.push({ text: "other" }), TypeError);
  assert.equal(keep("one").list[0]?.text, "one");
});

test("the oldest value is dropped when there are too many", () => {
  const { made, keep } = madeWith({ values: 2, textLength: 10 });
  for (const text of ["one", "two", "three", "two", "one"]) assert.equal(keep(text).text, text);
  assert.deepEqual(made, ["one", "two", "three", "one"]);
});

test("the value of a long text is not kept", () => {
  const { made, keep } = madeWith({ values: 2, textLength: 3 });
  for (const text of ["long", "one", "long"]) assert.equal(keep(text).text, text);
  assert.deepEqual(made, ["long", "one", "long"]);
});

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

test("a value of a handover can be taken only once", () => {
  const { handover } = madeAt();
  handover.give("one", "first");
  handover.give("one", "second");
  assert.equal(handover.take("one"), "second");
  assert.equal(handover.take("one"), undefined);
  assert.equal(handover.take("two"), undefined);
});

test("a value of a handover that is too old cannot be taken", () => {
  const { handover, wait } = madeAt();
  handover.give("one", "first");
  wait(99);
  handover.give("two", "second");
  wait(1);
  assert.equal(handover.take("one"), undefined);
  assert.equal(handover.take("two"), "second");
});

test("the oldest value of a handover is dropped when there are too many", () => {
  const { handover } = madeAt();
  handover.give("one", "1");
  handover.give("two", "2");
  handover.give("one", "again");
  handover.give("three", "3");
  assert.deepEqual(["one", "two", "three"].map(handover.take), ["again", undefined, "3"]);
});
