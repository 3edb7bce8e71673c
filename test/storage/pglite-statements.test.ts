import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { type Database, first, sqlState } from "#src/storage/database.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

// The embedded database prepares each statement once. So each test runs a statement twice: the
// first time it is prepared, the second time it is reused.

let database: Database;
before(async () => {
  database = await openPglite({});
});
after(() => database.close());
beforeEach(() =>
  database.execute(`
    drop table if exists thing;
    create table thing (id integer primary key, name text)`),
);

const twice = [1, 2];

const add = (id: number, name: string): Sql =>
  sql`insert into thing (id, name) values (${id}, ${name})`;

const names = async (): Promise<string> => {
  const rows = await database.query<{ name: string }>(sql`select name from thing order by id`);
  return rows.map(({ name }) => name).join();
};

const inText = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `${each}n` : each));

const hasState = (state: string) => (error: unknown) => sqlState(error) === state;

test("parameters and results of every type keep their values on the embedded database", async () => {
  const given = {
    text: 'it\'s \\ "ü"\n€',
    empty: "",
    nothing: null,
    number: 7,
    large: 9_007_199_254_740_993n,
    truth: true,
    instant: Temporal.Instant.from("2026-11-21T10:00:00.123Z"),
    date: Temporal.PlainDate.from("2026-02-28"),
    rate: "1.2345678901",
    json: { a: [1, "two", null] },
    texts: ["a", 'b,"c"', ""],
    sums: [1n, -2n],
    times: [Temporal.Instant.from("2026-11-21T10:00:00Z")],
  };
  for (const _ of twice) {
    const row = await first<typeof given>(
      database,
      sql`select ${given.text}::text as text, ${given.empty}::text as empty,
        ${given.nothing}::text as nothing, ${given.number}::integer as number,
        ${given.large}::bigint as large, ${given.truth}::boolean as truth,
        ${given.instant}::timestamptz as instant, ${given.date}::date as date,
        ${given.rate}::numeric as rate, ${JSON.stringify(given.json)}::json as json,
        ${given.texts}::text[] as texts, ${given.sums}::bigint[] as sums,
        ${given.times}::timestamptz[] as times`,
    );
    // compared as text, because deepEqual sees no difference between Temporal objects
    assert.equal(inText(row), inText(given));
    assert.ok(row?.instant instanceof Temporal.Instant && row.date instanceof Temporal.PlainDate);
  }
});

test("a failing statement reports its error, and it and other statements can run again", async () => {
  for (const id of twice) {
    await database.query(add(id, "kept"));
    await assert.rejects(database.query(add(id, "again")), hasState("23505"));
  }
  await assert.rejects(database.query(sql`select nothing from nowhere`), hasState("42P01"));
  await assert.rejects(database.query(sql`select ${"x"}::text::integer`), hasState("22P02"));
  assert.equal(await names(), "kept,kept");
});

test("a failed transaction changes nothing, and its prepared statements can be used", async () => {
  for (const id of twice) {
    await assert.rejects(
      database.transaction(async (on) => {
        await on.query(add(id, "gone"));
        await on.query(sql`select ${"x"}::text::integer / ${id}::integer`);
      }),
      hasState("22P02"),
    );
    assert.equal(await names(), "");
  }
  await database.query(add(1, "kept"));
  assert.equal(await names(), "kept");
});

test("a failed transaction accepts no more statements", async () => {
  await assert.rejects(
    database.transaction(async (on) => {
      await on.query(add(1, "gone"));
      await on.query(add(1, "again")).catch(() => undefined);
      await on.query(sql`select 'never seen before' as text`);
    }),
    hasState("25P02"),
  );
  assert.equal(await names(), "");
});

test("other statements wait until a transaction ends, and its own run in order", async () => {
  const end = Promise.withResolvers<void>();
  const transaction = database.transaction(async (on) => {
    await Promise.all([on.query(add(1, "one")), on.query(add(2, "two"))]);
    await end.promise;
    throw new Error("rolled back");
  });
  const seen = names();
  end.resolve();
  await assert.rejects(transaction, /rolled back/);
  assert.equal(await seen, "");
});

test("a transaction cannot be used after its end", async () => {
  const kept = await database.transaction(async (on) => on);
  await assert.rejects(async () => kept.query(add(1, "late")), /before it ends/);
  assert.equal(await names(), "");
});

test("a prepared statement sees a later change of its table", async () => {
  const read = () => first<object>(database, sql`select id, name from thing`);
  await database.query(add(1, "5"));
  for (const _ of twice) assert.deepEqual({ ...(await read()) }, { id: 1, name: "5" });
  await database.execute("alter table thing alter column name type integer using name::integer");
  for (const _ of twice) assert.deepEqual({ ...(await read()) }, { id: 1, name: 5 });
});

test("when too many statements are prepared, the oldest are prepared again", async () => {
  const one = (index: number): Sql => ({
    text: `select ${index} + $1::integer as sum`,
    values: [1],
  });
  for (const _ of twice) {
    for (let index = 0; index < 600; index++) {
      assert.equal((await first<{ sum: number }>(database, one(index)))?.sum, index + 1);
    }
  }
  const row = await first<{ kept: number }>(
    database,
    sql`select count(*)::integer as kept from pg_prepared_statements`,
  );
  assert.equal(row?.kept, 500);
});
