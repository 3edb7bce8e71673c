// A statement up to now, and what is booked at the same moment.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import { makeStatementNow } from "#src/sandbox/bank/statement-now.ts";
import { payIn } from "#src/sandbox/incomes/pay-in.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { expectStatus } from "#test/harness.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { onPostgres } from "#test/postgres.ts";
import { until } from "#test/until.ts";
import { type ActsBed, openActs } from "./acts-bed.ts";

let bed: ActsBed;
let token: string;
// later than everything in the account
let now: Temporal.Instant;
before(async () => {
  bed = await openActs();
  ({ token } = await bed.access());
});
after(() => bed?.bank.close());
beforeEach(() => {
  now = bed.bank.clock.now();
});

const pay = (on: Queryable, at: Temporal.Instant, pounds: bigint) => {
  const amount = { amountMinor: pounds * 100n, currency: "GBP" };
  const what = { type: "FPI", information: "A Payer", reference: null, payer: null } as const;
  return payIn(on, { name: newId("in"), accountId: bed.accountId, amount, ...what }, at);
};
const payNow = (pounds: bigint) => bed.bank.database.transaction((on) => pay(on, now, pounds));

const make = async (): Promise<string> => {
  const { database } = bed.bank;
  const made = await makeStatementNow({ database, clock: { now: () => now } }, bed.accountId);
  return present(made, "a statement");
};

/** A statement and the amounts of its transactions, as a TPP reads them; null if there is none. */
async function read(id: string): Promise<{ statement: Json; amounts: string[] } | null> {
  const path = `/v4.0/aisp/accounts/${bed.accountId}/statements/${id}`;
  const one = await bed.client.call<Json>({ path, token });
  if (one.status !== 200) return null;
  const lines = await bed.client.call<Json>({ path: `${path}/transactions`, token });
  expectStatus(lines, 200);
  return {
    statement: one.body.Data.Statement[0],
    amounts: lines.body.Data.Transaction.map(({ Amount }: Json) => Amount.Amount),
  };
}

async function expectNoBreach(): Promise<void> {
  const { breaches } = await bed.bank.control<{ breaches: string[] }>("GET", "/verify");
  assert.deepEqual(breaches, []);
}

test("a statement up to now has what was booked at the same instant, and ends in its second", async () => {
  await payNow(101n);
  const id = await make();
  const made = present(await read(id), "the statement");
  assert.ok(made.amounts.includes("101.00"));
  const file = await bed.client.call({
    path: `/v4.0/aisp/accounts/${bed.accountId}/statements/${id}/file`,
    token,
    headers: { accept: "text/csv" },
  });
  assert.match(file.raw.toString(), /,101\.00,/);
  assert.equal(
    Date.parse(made.statement.EndDateTime),
    now.round({ smallestUnit: "second", roundingMode: "trunc" }).epochMilliseconds,
  );
  await expectNoBreach();
});

test("what is booked in the time of a statement afterwards withdraws it, and the next one has it", async () => {
  const first = await make();
  await payNow(102n);
  assert.equal(await read(first), null);
  await expectNoBreach();
  const second = await make();
  assert.ok((await read(second))?.amounts.includes("102.00"));
  now = now.add({ milliseconds: 1 });
  await payNow(103n);
  assert.ok(!present(await read(second), "the second").amounts.includes("103.00"));
  await expectNoBreach();
});

test("a statement waits for a booking that has begun, and has it", async () => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const booking = bed.bank.database.transaction(async (on) => {
    await pay(on, now, 104n);
    begun.resolve();
    await ended.promise;
  });
  await begun.promise;
  const making = make();
  // the embedded database has one connection, on which the statement waits for its turn
  if (onPostgres) await until(waiting, (count) => count > 0);
  ended.resolve();
  await booking;
  assert.ok((await read(await making))?.amounts.includes("104.00"));
  await expectNoBreach();
});

test("a booking that waits for a statement withdraws it if its time is earlier", async () => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const { database } = bed.bank;
  const other = database.transaction(async (on) => {
    await on.query(sql`
      select account_id from ledger_account where account_id = ${bed.accountId} for update`);
    begun.resolve();
    await ended.promise;
  });
  await begun.promise;
  const making = make();
  if (onPostgres) await until(waiting, (count) => count > 0);
  const earlier = now.subtract({ milliseconds: 5 });
  const booking = database.transaction((on) => pay(on, earlier, 105n));
  if (onPostgres) await until(waiting, (count) => count > 1);
  ended.resolve();
  await Promise.all([other, making, booking]);
  assert.equal(await read(await making), null);
  assert.ok((await read(await make()))?.amounts.includes("105.00"));
  await expectNoBreach();
});

/** How many statements wait for a lock of another one. */
async function waiting(): Promise<number> {
  const rows = await bed.bank.database.query(sql`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return rows.length;
}
