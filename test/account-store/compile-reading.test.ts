import assert from "node:assert/strict";
import { test } from "node:test";
import Type, { type TSchema } from "typebox";
import { compileReading } from "#src/account-store/compile-reading.ts";

const number: TSchema = Type.Codec(Type.String({ pattern: "^[0-9]+$" }))
  .Decode(BigInt)
  .Encode(String);

const read = (schema: TSchema, value: unknown): unknown => compileReading(schema)?.(value);

test("a value is read in objects, in arrays and beside null, and other members stay", () => {
  const schema = Type.Object({
    all: Type.Array(Type.Union([Type.Null(), Type.Object({ size: number })])),
    none: Type.Optional(number),
  });
  assert.deepEqual(read(schema, { all: [{ size: "12", more: "12" }, null], other: "7" }), {
    all: [{ size: 12n, more: "12" }, null],
    other: "7",
  });
});

test("of a union, the branch that the value keeps is read", () => {
  const schema = Type.Union([
    Type.Object({ state: Type.Literal("done") }),
    Type.Object({ state: Type.Literal("held"), until: number }),
    Type.Object({ state: Type.Literal("asked"), at: number }),
    Type.String(),
  ]);
  assert.deepEqual(read(schema, { state: "held", until: "5", at: "6" }), {
    state: "held",
    until: 5n,
    at: "6",
  });
  assert.deepEqual(read(schema, { state: "asked", at: "6" }), { state: "asked", at: 6n });
  assert.deepEqual(read(schema, { state: "done" }), { state: "done" });
  assert.equal(read(schema, "12"), "12");
});

test("a rule without conversions is not read at all", () => {
  const schema = Type.Object({
    name: Type.String({ maxLength: 3 }),
    kind: Type.Enum(["a", "b"]),
    more: Type.Record(Type.String(), Type.Unknown()),
  });
  assert.equal(compileReading(schema), null);
});

const hidden: Record<string, TSchema> = {
  "an intersection": Type.Intersect([Type.Object({ size: number }), Type.Object({})]),
  "a tuple": Type.Tuple([number, number]),
  "a record": Type.Record(Type.String(), number),
  "a schema of additional properties": Type.Object({}, { additionalProperties: number }),
  "a conversion of a conversion": Type.Codec(Type.Object({ size: number }))
    .Decode(String)
    .Encode(() => ({ size: 1n })),
  "a reference": { $ref: "#/somewhere" } as TSchema,
  "a keyword of a later release": { type: "string", later: number } as TSchema,
};

for (const [form, schema] of Object.entries(hidden)) {
  test(`a rule with ${form} is refused, because a conversion in it would be left out`, () => {
    assert.throws(() => compileReading(schema), /a rule whose values are read may not have/);
    const inside = Type.Array(Type.Object({ all: Type.Optional(schema) }));
    assert.throws(() => compileReading(inside), /may not have/);
  });
}
