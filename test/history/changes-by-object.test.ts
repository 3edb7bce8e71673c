import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { factsAt, factsBefore, lastChange, listChanges } from "#src/history/change.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { countRead } from "#test/storage/rows-read.ts";

// The embedded database never gathers statistics by itself, and a server does so only after a
// while.

const others = 3_000;
const now = Temporal.Instant.from("2027-03-01T10:00:00Z");

let database: Database;
before(async () => {
  database = await openEmpty();
});
after(() => database?.close());

/** Stores three changes of each order with a number in this range. */
const store = (on: Queryable, from: number, to: number) =>
  on.query(sql`
    insert into change (object_kind, object_id, after, cause, occurred_at)
    select 'order', 'order-' || n, json_build_object('status', 'status ' || step), 'bank', ${now}
    from generate_series(${from}::integer, ${to}::integer) n, generate_series(1, 3) step
    order by n, step`);

const ofOne = sql`from (select 'order-1'::text as id, 1000000::bigint as sequence) one`;
const status = async (on: Queryable, statement: Sql) =>
  (await first<{ status: string }>(on, statement))?.status;
const readers: Record<string, (on: Queryable) => Promise<string | undefined>> = {
  "the list of changes": async (on) => (await listChanges(on, "order-1")).at(-1)?.after.status,
  "the last change": (on) =>
    status(on, sql`select h.facts::json->>'status' as status ${ofOne} ${lastChange(sql`one.id`)}`),
  "the facts at a time": (on) =>
    status(on, sql`select h.facts->>'status' as status ${ofOne} ${factsAt(sql`one.id`, now)}`),
  "the facts before a change": (on) =>
    status(
      on,
      sql`select p.before->>'status' as status ${ofOne}
        ${factsBefore({ objectId: sql`one.id`, sequence: sql`one.sequence` })}`,
    ),
};

test("a reader of one object reads only its changes, even without statistics of the history", async () => {
  await database.transaction(async (on) => {
    await store(on, 1, others);
    for (const [name, read] of Object.entries(readers)) {
      const earlier = await countRead(on);
      assert.equal(await read(on), "status 3", name);
      assert.equal((await countRead(on)) - earlier, 3, `${name}: rows that were read`);
    }
  });
});
