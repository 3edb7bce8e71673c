import assert from "node:assert/strict";
import { test } from "node:test";
import { stepsFrom } from "#src/http/steps.ts";
import { inOrder } from "#src/standard/api-version.ts";

type Asked = { text: string; seen: string[] };
type Kind = { isWide: boolean };
const start = (text: string): Asked => ({ text, seen: [] });

const sized = stepsFrom<Asked, Kind>().add({
  name: "size",
  check({ text, seen }) {
    seen.push("size");
    if (text === "") throw new Error("empty");
    return { size: text.length };
  },
});

const steps = sized
  .add({
    name: "width",
    applies: ({ isWide }) => isWide,
    check({ size, seen }) {
      seen.push(`width of ${size}`);
      return { width: size * 2 };
    },
  })
  .add({
    name: "total",
    check({ size, width = 0, seen }) {
      seen.push("total");
      return { total: size + width };
    },
  });

test("steps run in their order, and each gets what those before it give", () => {
  const wide = steps.of({ isWide: true });
  assert.deepEqual(wide.names, ["size", "width", "total"]);
  const { total, seen } = wide.run(start("abc"));
  assert.equal(total, 9);
  assert.deepEqual(seen, ["size", "width of 3", "total"]);
});

test("a step that does not concern an operation is neither named nor run", () => {
  const narrow = steps.of({ isWide: false });
  assert.deepEqual(narrow.names, ["size", "total"]);
  assert.equal(narrow.run(start("abc")).total, 3);
});

test("a list of steps is added to another that gives what it needs", () => {
  const both = sized.addAll(halves).of({ isWide: true });
  assert.deepEqual(both.names, ["size", "half"]);
  assert.equal(both.run(start("abcd")).half, 2);
});

test("the first step that refuses ends the run, before and after one that waits", async () => {
  const asked = start("");
  assert.throws(() => steps.of({ isWide: true }).run(asked), /empty/);
  assert.deepEqual(asked.seen, ["size"]);
  const waiting = steps
    .add({ name: "later", check: async ({ total }) => ({ later: total + 1 }) })
    .add({
      name: "least",
      check({ later }) {
        if (later < 5) throw new Error(`only ${later}`);
      },
    });
  await assert.rejects(async () => waiting.of({ isWide: false }).run(start("abc")), /only 4/);
  assert.equal((await waiting.of({ isWide: true }).run(start("abc"))).later, 10);
});

// The compiler checks the rest, in `npm run check`: each directive must suppress an error.

// @ts-expect-error: a step that comes before the one that gives what it needs
stepsFrom<Asked, Kind>().add({ name: "half", check: ({ size }) => ({ half: size / 2 }) });
const widthOf = ({ width }: { width: number }) => width;
const halves = stepsFrom<Asked & { size: number }, Kind>().add({
  name: "half",
  check: ({ size }) => ({ half: size / 2 }),
});
// @ts-expect-error: a list whose steps need what no step before them gives
stepsFrom<Asked, Kind>().addAll(halves);
// @ts-expect-error: what a step gives that does not always apply may be absent
steps.add({ name: "half", check: ({ width }) => widthOf({ width }) });
const later = sized.add({ name: "later", check: async () => ({ later: 1 }) });
// @ts-expect-error: a run may have to be awaited if one of its steps waits
void (() => later.of({ isWide: true }).run(start("abc")).later);

inOrder(["token", "grant", "scope", "content-type", "body"]);
// @ts-expect-error: the grant of a token is checked after the token
inOrder(["grant", "token", "scope"]);
// @ts-expect-error: a limit by client comes after the client is known
inOrder(["rate-limit", "token", "grant", "scope"]);
// @ts-expect-error: the body is read for callers who may send it
inOrder(["token", "content-type", "body", "grant", "scope"]);
// @ts-expect-error: every version checks the token's scope
inOrder(["token", "grant"]);
