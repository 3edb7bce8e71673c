import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Database, sqlState } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { onPostgres } from "#test/postgres.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";

// The result of a read must not depend on other reads at the same time.

let database: Database;
before(async () => {
  database = await openEmpty();
  await database.execute("create table thing (id integer primary key, name text, at timestamptz)");
});
after(() => database.close());

const many = 100;
const numbers = Array.from({ length: many }, (_, index) => index);

const upTo = (count: number): Sql =>
  sql`select n, ${`of ${count}`}::text as "of" from generate_series(1, ${count}::integer) n order by n`;

test("concurrent reads each get their own rows, in order", async () => {
  const counts = numbers.map((number) => number % 4);
  const answers = await Promise.all(counts.map((count) => database.read(upTo(count))));
  const expected = counts.map((count) =>
    Array.from({ length: count }, (_, index) => ({ n: index + 1, of: `of ${count}` })),
  );
  assert.deepEqual(answers, expected);
});

test("parameters and results of every type keep their values in a shared read, null included", async () => {
  const instant = Temporal.Instant.from("2026-11-21T10:00:00.123456Z");
  const texts = ['it\'s \\ "ü"\n€', "", null, "{a,b}", "NULL"];
  const rows = await Promise.all(
    texts.map((text, index) =>
      database.read(sql`
        select ${text}::text as text, ${index % 2 === 0}::boolean as even,
          ${index === 2 ? null : instant}::timestamptz as at, ${BigInt(index)}::bigint as large`),
    ),
  );
  assert.deepEqual(
    rows,
    texts.map((text, index) => [
      { text, even: index % 2 === 0, at: index === 2 ? null : instant, large: BigInt(index) },
    ]),
  );
});

test("a failing read does not affect reads that share its statement", async () => {
  const answers = await Promise.allSettled(
    numbers.map((number) => database.read(sql`select 100 / ${number % 10}::integer as share`)),
  );
  for (const [index, answer] of answers.entries()) {
    if (index % 10 === 0) {
      assert.equal(answer.status === "rejected" && sqlState(answer.reason), "22012");
    } else {
      assert.equal(answer.status, "fulfilled");
      const share = Math.floor(100 / (index % 10));
      assert.deepEqual(answer.status === "fulfilled" && answer.value, [{ share }]);
    }
  }
});

test("a read sees everything that was stored before it, whatever is in progress", async () => {
  const named = (id: number): Sql => sql`select name from thing where id = ${id}`;
  await Promise.all(
    numbers.map(async (id) => {
      assert.deepEqual(await database.read(named(id)), []);
      await database.query(sql`insert into thing (id, name) values (${id}, ${`thing ${id}`})`);
      assert.deepEqual(await database.read(named(id)), [{ name: `thing ${id}` }]);
      await database.query(sql`delete from thing where id = ${id}`);
      assert.deepEqual(await database.read(named(id)), []);
    }),
  );
});

test("an invalid statement fails each time, and other reads succeed meanwhile", async () => {
  for (let time = 0; time < 3; time++) {
    const answers = await Promise.allSettled([
      database.read(sql`select missing from thing where id = ${1}`),
      database.read(upTo(1)),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ["rejected", "fulfilled"],
    );
  }
});

const skip = onPostgres ? false : "the embedded database has no connections";

test("after connections are lost, reads continue over new ones", { skip }, async () => {
  await database.query(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'aldgate' and pid <> pg_backend_pid()
      and datname = current_database()`);
  for (;;) {
    const answers = await Promise.allSettled(numbers.map(() => database.read(upTo(1))));
    if (answers.every(({ status }) => status === "fulfilled")) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});
