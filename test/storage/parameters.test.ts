import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";

// The driver sends different messages from the second execution of a statement on a connection, so
// the tests execute each statement several times.

let database: Database;
before(async () => {
  database = await openEmpty();
});
after(() => database.close());

const times = 20;

const sent = {
  text: "plain",
  empty: "",
  nothing: null,
  accented: "Café Łódź",
  wide: "€ 12 𝄞",
  long: "é".repeat(70_000),
  list: ["a", 'b "c"', "ü"],
  bytes: Buffer.from([0, 10, 128, 255]),
  even: true,
  number: -12,
};

test("a statement returns the values that it was sent, however often it is executed", async () => {
  for (let time = 0; time < times; time++) {
    const rows = await database.query<typeof sent>(sql`
      select ${sent.text}::text as text, ${sent.empty}::text as empty,
        ${sent.nothing}::text as nothing, ${sent.accented}::text as accented,
        ${sent.wide}::text as wide, ${sent.long}::text as long, ${sent.list}::text[] as list,
        ${sent.bytes}::bytea as bytes, ${sent.even}::boolean as even,
        ${sent.number}::integer as number`);
    assert.deepEqual(
      rows.map((row) => ({ ...row, bytes: Buffer.from(row.bytes) })), // PGlite: a Uint8Array
      [sent],
    );
  }
});

test("a value that cannot be sent fails its own statement, and no other", async () => {
  const circular: { self?: object } = {};
  circular.self = circular;
  const read = (value: object) => database.query(sql`select ${value}::jsonb as value`);
  for (let time = 0; time < times; time++) {
    const value = { time };
    const [before, failing, after] = await Promise.allSettled([
      read(value),
      read(circular),
      read(value),
    ]);
    assert.deepEqual(before, { status: "fulfilled", value: [{ value }] });
    assert.equal(failing.status, "rejected");
    assert.deepEqual(after, { status: "fulfilled", value: [{ value }] });
  }
});
