import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import Type, { type TSchema } from "typebox";
import { compileSchema, judge } from "#src/http/body/validate.ts";
import { plainText } from "#src/lib/plain-text.ts";

const closed = { additionalProperties: false };
const Amount = Type.Object(
  {
    Amount: Type.String({ pattern: "^\\d{1,13}$|^\\d{1,13}\\.\\d{1,5}$" }),
    Currency: Type.String({ pattern: "^[A-Z]{3}$" }),
  },
  closed,
);
const schema = Type.Object(
  {
    Data: Type.Object(
      {
        Id: Type.String({ minLength: 1, maxLength: 35 }),
        Amount,
        When: Type.Optional(Type.String({ format: "date-time" })),
        Code: Type.Optional(Type.Union([Type.Literal("AAAA"), Type.Literal("BBBB")])),
        Listed: Type.Optional(Type.Enum(["CCCC", "DDDD"])),
        Lines: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 5 }), { minItems: 1, maxItems: 3 }),
        ),
        Parties: Type.Optional(Type.Array(Type.Object({ Name: Type.String() }, closed))),
        Flag: Type.Optional(Type.Boolean()),
        Count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
        Open: Type.Optional(Type.Object({ Known: Type.Optional(Type.String()) })),
        Choice: Type.Optional(
          Type.Union([
            Type.Object({ Iban: Type.String({ maxLength: 3 }) }, closed),
            Type.Object({ Scheme: Type.String(), Name: Type.String() }, closed),
          ]),
        ),
        Either: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
      },
      closed,
    ),
    Risk: Type.Object({}, closed),
  },
  closed,
);
const compiled = compileSchema(schema);

const right = (): Record<string, unknown> & { Data: Record<string, unknown> } => ({
  Data: { Id: "1", Amount: { Amount: "10.00", Currency: "GBP" } },
  Risk: {},
});
const withData = (change: object) => ({ ...right(), Data: { ...right().Data, ...change } });

const faultsOf = (value: unknown, of = compiled): string[] =>
  judge(of, value).map(({ code, path }) => `${code} ${path}`);
const messageOf = (value: unknown): string | undefined => judge(compiled, value)[0]?.message;

test("an array without a limit of its own may have 100 members", () => {
  const parties = (count: number) => withData({ Parties: Array(count).fill({ Name: "A" }) });
  assert.deepEqual(faultsOf(parties(100)), []);
  assert.deepEqual(faultsOf(parties(101)), ["U002 Data.Parties"]);
  assert.equal(
    messageOf(parties(101)),
    "This field must be an array of at most 100 members, each an object with Name.",
  );
  assert.deepEqual(faultsOf(withData({ Lines: ["a", "b", "c", "d"] })), ["U002 Data.Lines"]);
});

test("a valid body has no faults", () => {
  for (const change of [
    {},
    { Id: "x".repeat(35) },
    { When: "2026-01-01" },
    { When: "20160101T104012Z" },
    { When: "2016-01-01T10:40:12.34567+01" },
    { Code: "AAAA", Listed: "DDDD", Lines: ["a", "b", "c"], Flag: false, Count: 9 },
    { Open: { Known: "a", Other: { deep: [1] } }, Either: 4, Choice: { Iban: "GB1" } },
  ]) {
    assert.deepEqual(faultsOf(withData(change)), []);
  }
});

test("P-060…P-070: each fault has its code and the path of its field", () => {
  const table: [object, string][] = [
    [{ Data: right().Data }, "U004 Risk"],
    [{ Risk: {} }, "U004 Data"],
    [{ ...right(), Risk: { x: 1 } }, "U005 Risk.x"],
    [{ ...right(), Extra: 1 }, "U005 Extra"],
    [{ ...right(), Data: null }, "U002 Data"],
    [{ ...right(), Data: [] }, "U002 Data"],
    [{ ...right(), Risk: "x" }, "U002 Risk"],
    [withData({ Id: "" }), "U002 Data.Id"],
    [withData({ Id: "x".repeat(36) }), "U002 Data.Id"],
    [withData({ Id: null }), "U002 Data.Id"],
    [withData({ Id: 12 }), "U002 Data.Id"],
    [withData({ Amount: { Currency: "GBP" } }), "U004 Data.Amount.Amount"],
    [withData({ Amount: { Amount: 10, Currency: "GBP" } }), "U002 Data.Amount.Amount"],
    [withData({ Amount: { Amount: "1,00", Currency: "GBP" } }), "U002 Data.Amount.Amount"],
    [withData({ Amount: { Amount: "1", Currency: "gbp" } }), "U002 Data.Amount.Currency"],
    [withData({ When: "tomorrow" }), "U003 Data.When"],
    [withData({ When: "2026-02-30T00:00:00Z" }), "U003 Data.When"],
    [withData({ When: 20260101 }), "U002 Data.When"],
    [withData({ Code: "CCCC" }), "U002 Data.Code"],
    [withData({ Code: null }), "U002 Data.Code"],
    [withData({ Listed: "cccc" }), "U002 Data.Listed"],
    [withData({ Lines: [] }), "U002 Data.Lines"],
    [withData({ Lines: ["a", "b", "c", "d"] }), "U002 Data.Lines"],
    [withData({ Lines: ["a", "toolong"] }), "U002 Data.Lines[1]"],
    [withData({ Parties: [{ Name: "a" }, {}] }), "U004 Data.Parties[1].Name"],
    [withData({ Parties: [{ Name: "a", Age: 1 }] }), "U005 Data.Parties[0].Age"],
    [withData({ Flag: "true" }), "U002 Data.Flag"],
    [withData({ Count: 10 }), "U002 Data.Count"],
    [withData({ Count: 1.5 }), "U002 Data.Count"],
    [withData({ Either: true }), "U002 Data.Either"],
    [withData({ Choice: { Iban: "GB12" } }), "U002 Data.Choice.Iban"],
    [withData({ Choice: { Scheme: "x" } }), "U004 Data.Choice.Name"],
    [withData({ Choice: 1 }), "U002 Data.Choice"],
  ];
  for (const [value, fault] of table) assert.deepEqual(faultsOf(value), [fault]);
});

test("P-071, A-031: all faults are listed, one per field", () => {
  const value = withData({
    Id: "",
    Amount: { Amount: -1, Other: 1 },
    Code: 1,
    When: "never",
    Lines: [1, "ok", ""],
    X: 1,
    Y: 1,
  });
  assert.deepEqual(faultsOf({ ...value, Risk: undefined, Z: 1 }).sort(), [
    "U002 Data.Amount.Amount",
    "U002 Data.Code",
    "U002 Data.Id",
    "U002 Data.Lines[0]",
    "U002 Data.Lines[2]",
    "U002 Risk",
    "U003 Data.When",
    "U004 Data.Amount.Currency",
    "U005 Data.Amount.Other",
    "U005 Data.X",
    "U005 Data.Y",
    "U005 Z",
  ]);
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, 1]));
  assert.equal(judge(compiled, withData(many)).length, 100);
});

test("a fault's message says what to do, and never repeats the value", () => {
  assert.equal(
    messageOf(withData({ Id: "" })),
    "This field must be a string of 1 to 35 characters.",
  );
  assert.equal(
    messageOf(withData({ Code: "secret" })),
    "This field must be one of AAAA, BBBB, or be left out.",
  );
  assert.equal(
    messageOf(withData({ Listed: "secret" })),
    "This field must be one of CCCC, DDDD, or be left out.",
  );
  assert.equal(
    messageOf(withData({ Lines: [] })),
    "This field must be an array of 1 to 3 members, each a string of 1 to 5 characters.",
  );
  assert.equal(messageOf(withData({ Count: 0 })), "This field must be an integer of 1 to 9.");
  assert.equal(messageOf(withData({ Flag: 1 })), "This field must be true or false.");
  assert.match(
    messageOf(withData({ Amount: { Amount: "x", Currency: "GBP" } })) ?? "",
    /such as 10\.00\.$/,
  );
  assert.equal(
    messageOf({ Risk: {} }),
    "This field is missing. Send it: an object with Id, Amount.",
  );
  assert.equal(
    messageOf(withData({ Amount: 1 })),
    "This field must be an object with Amount, Currency, such as " +
      '{"Amount":"10.00","Currency":"GBP"}.',
  );
  const known = compileSchema(schema, { words: { Id: "the Id that POST /things returned" } });
  const [missing, without] = [withData({ Id: undefined }), { Risk: {} }].map(
    (value) => judge(known, JSON.parse(JSON.stringify(value)))[0]?.message,
  );
  assert.equal(missing, "This field is missing. Send it: the Id that POST /things returned.");
  assert.equal(
    without,
    "This field is missing. Send it: an object with Id (the Id that POST /things returned), Amount.",
  );
  assert.equal(
    messageOf({ ...withData({}), Z: 1 }),
    "This field is not defined here. Leave it out.",
  );
});

test("P-072: characters that payment systems do not carry are U002 with their path", () => {
  const strict = compileSchema(schema, { characters: plainText });
  for (const text of ["a\u{1f600}", "a\u0000", "a\nb", "\ud800"]) {
    assert.deepEqual(faultsOf(withData({ Id: text }), strict), ["U002 Data.Id"]);
    const open = withData({ Open: { Deep: [{ Text: text }] } });
    assert.deepEqual(faultsOf(open, strict), ["U002 Data.Open.Deep[0].Text"]);
    assert.deepEqual(faultsOf(withData({ Id: text })), []);
  }
  for (const text of ["Zoë & Søn #1", "£5 €3", "Łódź"]) {
    assert.deepEqual(faultsOf(withData({ Id: text }), strict), []);
  }
});

// A compiled check decides whether a value is valid, and other code lists the faults. They must
// agree.
test("a value is refused if and only if a fault with a path is found", () => {
  const parts: TSchema[] = Object.values(schema.properties.Data.properties);
  const leaf = fc.oneof(
    fc.constantFrom("", "AAAA", "CCCC", "GBP", "10.00", "2026-01-01", "x".repeat(36), "\u{1f600}"),
    fc.constantFrom(null, true, 0, 1, 5, 10, 1.5),
  );
  const names = fc.constantFrom("Amount", "Currency", "Iban", "Scheme", "Name", "Known", "Zed");
  const value = fc.oneof(
    leaf,
    fc.array(leaf, { maxLength: 4 }),
    fc.dictionary(names, leaf, { maxKeys: 3 }),
    fc.array(fc.dictionary(names, leaf, { maxKeys: 2 }), { maxLength: 2 }),
  );
  for (const part of parts) {
    const one = compileSchema(Type.Object({ field: part }));
    fc.assert(
      fc.property(value, (field) => {
        const faults = judge(one, { field });
        assert.equal(faults.length === 0, one.check({ field }));
        const paths = faults.map(({ path }) => path);
        assert.equal(new Set(paths).size, paths.length);
        for (const path of paths) assert.match(path ?? "", /^field/);
      }),
    );
  }
});
