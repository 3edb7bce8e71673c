import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import Type from "typebox";
import { compileSchema } from "#src/http/body/validate.ts";
import { firstDifference, judgeRequest, requestFingerprint } from "#src/payments/request/match.ts";

const cases: [title: string, left: unknown, right: unknown, path: string | null][] = [
  ["equal values", { a: [1, { b: "x" }] }, { a: [1, { b: "x" }] }, null],
  ["a number and its text", { a: 1 }, { a: "1" }, "R.a"],
  ["null and an absent member", { a: null }, {}, "R.a"],
  ["an empty object and an absent one", { a: {} }, {}, "R.a"],
  ["an array and an object", { a: [] }, { a: {} }, "R.a"],
  ["a longer array", { a: [1] }, { a: [1, 2] }, "R.a[1]"],
  ["an inherited name", {}, { constructor: 1 }, "R.constructor"],
  [
    "P-156: two notations of one instant",
    { ADateTime: "2027-01-01T00:00:00Z" },
    { ADateTime: "2027-01-01T01:00+01:00" },
    null,
  ],
  [
    "P-156: two instants a second apart",
    { ADateTime: "2027-01-01T00:00:00Z" },
    { ADateTime: "2027-01-01T00:00:01Z" },
    "R.ADateTime",
  ],
  [
    "an instant in a member that is not a time",
    { Name: "2027-01-01T00:00:00Z" },
    { Name: "2027-01-01T01:00:00+01:00" },
    "R.Name",
  ],
];

for (const [title, left, right, path] of cases) {
  test(`${title} ${path === null ? "match" : "differ"}, in either order`, () => {
    assert.equal(firstDifference(left, right, "R")?.path ?? null, path);
    assert.equal(firstDifference(right, left, "R")?.path ?? null, path);
  });
}

test("P-154, P-155: each body of the test matches itself and no other body", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      assert.equal(firstDifference(left, structuredClone(left), "R"), null);
      const same = JSON.stringify(left) === JSON.stringify(right);
      if (firstDifference(left, right, "R") === null && !same) {
        assert.deepEqual(left, right); // only the key order differs
      }
    }),
  );
});

test("D-401-10: a fingerprint ignores differences that do not change the request", () => {
  const prints = [
    { Amount: "10.00", b: 1 },
    { b: 1, Amount: "10" },
    { b: 1, Amount: "10.0" },
    { b: 1, Amount: `10.${"0".repeat(400)}` },
  ].map(requestFingerprint);
  assert.equal(new Set(prints).size, 1);
  const others = [
    { Amount: "100", b: 1 },
    { Amount: "1", b: 1 },
    { Amount: "10.001", b: 1 },
    { Amount: "10.", b: 1 },
    { Amount: 10, b: 1 },
  ];
  for (const other of others) assert.notEqual(requestFingerprint(other), prints[0]);
});

// the fingerprint of an amount of 160,000 digits once stopped a process for half a minute
test("a body that its schema refuses is not even read for its fingerprint", () => {
  const schema = compileSchema(Type.Object({ Data: Type.String() }));
  let reads = 0;
  const free = {
    get Amount() {
      reads += 1;
      return "10.00";
    },
  };
  const good = judgeRequest(schema, { Data: "x", SupplementaryData: free });
  assert.deepEqual(good.faults, []);
  assert.notEqual(good.fingerprint, null);
  assert.ok(reads > 0);
  reads = 0;
  const bad = judgeRequest(schema, { Data: 1, SupplementaryData: free });
  assert.equal(bad.faults.length, 1);
  assert.equal(bad.fingerprint, null);
  assert.equal(reads, 0);
});
