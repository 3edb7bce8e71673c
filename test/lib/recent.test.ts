import assert from "node:assert/strict";
import { test } from "node:test";
import { keepRecent } from "#src/lib/recent.ts";

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
