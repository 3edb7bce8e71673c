import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Bank, PaymentInstruction, PaymentOutcome } from "#src/bank/port.ts";
import { createEngine } from "#src/payments/execution/engine.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { patienceMs, until } from "#test/until.ts";
import { insertAccounts, insertOrders, orderState, paymentOf } from "./orders.ts";

const start = Temporal.Instant.from("2026-03-02T10:00:00Z");
let now = start;
const clock = { now: () => now };
let database: Database;
let bank: Bank;
let logged: { payments?: string[]; failures?: number }[];

before(async () => {
  database = await openEmpty();
  await insertAccounts(database, { accounts: 3, balanceMinor: 1_000_000n });
  bank = createSandboxBank({ database, clock });
});
after(() => database.close());
beforeEach(() => {
  logged = [];
});

type Failing = (call: string, ids: string[]) => PaymentOutcome[] | Error | null;

/** Makes an engine whose bank fails for the calls and payments that a test names. */
function engineOver(failing: Failing, admits?: () => boolean) {
  const through =
    (call: "reserve" | "execute") =>
    async (given: PaymentInstruction[]): Promise<PaymentOutcome[]> => {
      const ids = given.map(({ paymentId }) => paymentId);
      const failure = failing(call, ids);
      if (failure instanceof Error) throw failure;
      return failure ?? bank[call](given);
    };
  return createEngine({
    database,
    bank: { ...bank, reserve: through("reserve"), execute: through("execute") },
    clock,
    owner: "engine",
    batchSize: 64,
    log: { error: (details) => void logged.push(details) },
    ...(admits ? { admits } : {}),
  });
}

/** Lets this many seconds pass, from one due payment to the next. */
async function pass(engine: ReturnType<typeof engineOver>, seconds: number): Promise<void> {
  const end = now.add({ seconds });
  for (;;) {
    await engine.drain();
    const next = await engine.nextDueAt();
    if (next === null || Temporal.Instant.compare(next, end) > 0) break;
    now = next;
  }
  now = end;
}

const orders = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ orderId: `${prefix}-${index}` }));

for (const call of ["reserve", "execute"] as const) {
  test(`a payment whose ${call} always fails does not delay the other 63 of its batch`, async () => {
    const prefix = `poison-${call}`;
    await insertOrders(database, orders(prefix, 64), now);
    const poison = paymentOf(`${prefix}-17`);
    const engine = engineOver((name, ids) =>
      name === call && ids.includes(poison) ? new Error("the core broke") : null,
    );
    await pass(engine, 20);
    const statuses = await database.query<{ status: string; payments: bigint }>(sql`
      select status, count(payment_id) as payments from payment
      where payment_id like ${`${prefix}-%`} group by status order by status`);
    const waits = call === "reserve" ? "RCVD" : "ACFC";
    assert.deepEqual(statuses, [
      { status: "ACCC", payments: 63n },
      { status: waits, payments: 1n },
    ]);
    const alone = logged.filter(({ payments }) => payments?.length === 1);
    assert.ok(alone.length > 2);
    assert.deepEqual(alone.at(-1)?.payments, [poison]);
    assert.equal(alone.at(-1)?.failures, alone.length);
    await pass(engine, 3600);
    // 12 calls per hour at intervals of five minutes, and the first ones at shorter intervals
    assert.ok(logged.length < 40, `${logged.length} failed calls`);
    const cured = engineOver(() => null);
    await pass(cured, 400);
    assert.equal((await orderState(database, `${prefix}-17`)).status, "ACCC");
  });
}

test("a payment that succeeds after failures has short waits and full batches again", async () => {
  const [row] = await database.query<{ failures: number; callLimit: number | null }>(sql`
    select failures, call_limit as "callLimit" from payment
    where payment_id = ${paymentOf("poison-reserve-17")}`);
  assert.deepEqual(row, { failures: 0, callLimit: null });
});

test("a failed outcome returns only its own payment to the queue", async () => {
  await insertOrders(database, orders("item", 3), now);
  const bad = paymentOf("item-1");
  let failures = 2;
  const engine = engineOver((call, ids) => {
    if (call !== "reserve" || !ids.includes(bad) || failures === 0) return null;
    failures -= 1;
    return ids.map((id) =>
      id === bad ? { state: "failed", inDoubt: false } : { state: "reserved" },
    );
  });
  await engine.tick();
  assert.equal((await orderState(database, "item-1")).status, "RCVD");
  await pass(engine, 10);
  for (const { orderId } of orders("item", 3)) {
    assert.equal((await orderState(database, orderId)).status, "ACCC", orderId);
  }
});

test("while the core is unavailable, no payment is leased and no retry interval grows", async () => {
  await insertOrders(database, orders("paused", 3), now);
  let isUp = false;
  let calls = 0;
  const engine = engineOver(
    () => {
      calls += 1;
      return isUp ? null : new Error("no line");
    },
    () => isUp,
  );
  assert.equal(await engine.tick(), 0);
  assert.equal(calls, 0);
  isUp = true;
  await engine.drain();
  assert.equal((await orderState(database, "paused-0")).status, "ACCC");
});

test("the engine starts the next batch while a batch waits for the core", {
  timeout: patienceMs,
}, async () => {
  await insertOrders(database, orders("slow", 1), now);
  const { promise: hanging, resolve: answer } = Promise.withResolvers<null>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const engine = createEngine({
    database,
    bank: {
      ...bank,
      async reserve(given) {
        if (given.some(({ paymentId }) => paymentId === paymentOf("slow-0"))) {
          ask();
          await hanging;
        }
        return bank.reserve(given);
      },
    },
    clock,
    owner: "loop",
    batchSize: 64,
    log: { error: (details) => void logged.push(details) },
  });
  engine.start(20);
  try {
    await asked;
    await insertOrders(database, orders("behind", 3), now);
    await until(
      () => orderState(database, "behind-2"),
      ({ status }) => status === "ACCC",
    );
    assert.equal((await orderState(database, "slow-0")).status, "RCVD");
    // the core answers only later, so `stop` returns only if the engine does not wait for the core
    await engine.stop(100);
  } finally {
    answer(null);
    await engine.stop();
  }
});
