import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { type Bank, BankError } from "#src/bank/port.ts";
import type { EngineMoment } from "#src/payments/execution/batch.ts";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { sql } from "#src/storage/sql.ts";
import { addConsents } from "#test/consents/add-consents.ts";
import { consentStatus } from "#test/consents/stored-rows.ts";
import { addIdempotencyKeys } from "#test/payments/add-orders.ts";
import { fundsIn, postingsOf } from "#test/sandbox/stored-ledger.ts";
import { elsewhere, insertAccounts, insertOrders, orderState, paymentOf } from "./orders.ts";
import { schemeByName } from "./outside.ts";

const start = Temporal.Instant.from("2026-03-02T10:00:00Z");
let now = start;
const clock = { now: () => now };
let database: Database;
let bank: Bank;
let calls: string[];
let faults: { call: string; error: Error; when: "before" | "after" }[];
let moments: EngineMoment[];
let logged: object[];
let engine: Engine;

const scheme = schemeByName(Temporal.Duration.from({ seconds: 30 }));

/** The real bank behind a connection that fails when a test says so. */
function overLine(inner: Bank): Bank {
  const through =
    <A, R>(call: string, work: (given: A[]) => Promise<R>) =>
    async (given: A[]): Promise<R> => {
      calls.push(`${call} ${given.length}`);
      const fault = faults[0]?.call === call ? faults.shift() : undefined;
      if (fault?.when === "before") throw fault.error;
      const result = await work(given);
      if (fault) throw fault.error;
      return result;
    };
  return {
    ...inner,
    reserve: through("reserve", inner.reserve),
    execute: through("execute", inner.execute),
    ask: through("ask", inner.ask),
    release: through("release", inner.release),
  };
}

const newEngine = (owner: string, leaseSeconds = 30) =>
  createEngine({
    database,
    bank,
    clock,
    owner,
    leaseSeconds,
    batchSize: 64,
    // no jitter
    random: () => 0.5,
    log: { error: (details) => void logged.push(details) },
    onStep: (moment) => moments.push(moment),
  });

before(async () => {
  database = await openPglite({});
  await migrate(database);
  await insertAccounts(database, { accounts: 3, balanceMinor: 1_000_000n });
  bank = overLine(createSandboxBank({ database, clock, scheme }));
});
after(() => database.close());

beforeEach(() => {
  [calls, faults, moments, logged] = [[], [], [], []];
  engine = newEngine("engine");
});

const postings = async (orderId: string): Promise<number> =>
  (await postingsOf(database, [paymentOf(orderId)])).length;

const heldMinor = async (): Promise<bigint> =>
  (await fundsIn(database, "account-1"))?.heldMinor ?? -1n;

test("a due payment is reserved, executed and settled in one batch", async () => {
  await insertOrders(database, [{ orderId: "e1" }, { orderId: "e2" }], now);
  assert.equal(await engine.tick(), 2);
  assert.deepEqual(calls, ["reserve 2", "execute 2"]);
  assert.deepEqual(moments, ["claimed", "reserved", "settled", "executed", "settled"]);
  const state = await orderState(database, "e1");
  assert.equal(state.status, "ACCC");
  assert.equal(state.paymentStatus, "ACCC");
  assert.equal(state.dueAt, null);
  assert.equal(state.leaseOwner, null);
  assert.deepEqual(state.reason, []);
  assert.equal(await postings("e1"), 1);
  assert.equal(await engine.tick(), 0);
});

test("a payment without funds is rejected with the bank's reason and leaves no hold", async () => {
  await insertOrders(database, [{ orderId: "e3", amountMinor: 99_000_000n }], now);
  await engine.drain();
  const state = await orderState(database, "e3");
  assert.equal(state.status, "RJCT");
  assert.equal(state.reasonCode, "AM04");
  assert.equal(state.reason[0]?.code, "AM04");
  assert.equal(await postings("e3"), 0);
  assert.equal(await heldMinor(), 0n);
});

test("a payment with a delayed scheme response is ACSC until the engine asks again", async () => {
  await insertOrders(
    database,
    [
      { orderId: "e4", creditor: elsewhere, creditorName: "Delay" },
      { orderId: "e5", creditor: elsewhere, creditorName: "Return" },
    ],
    now,
  );
  await engine.drain();
  assert.equal((await orderState(database, "e4")).status, "ACSC");
  calls = [];
  await engine.drain();
  assert.deepEqual(calls, []);
  const next = await engine.nextDueAt();
  assert.ok(next);
  now = next;
  await engine.drain();
  assert.deepEqual(calls, ["ask 2"]);
  assert.equal((await orderState(database, "e4")).status, "ACCC");
  const returned = await orderState(database, "e5");
  assert.equal(returned.status, "RJCT");
  assert.equal(returned.reason.length, 1);
  assert.equal(await engine.nextDueAt(), null);
});

test("an immediate response of the scheme is final: ACCC, ACWP or RJCT", async () => {
  const names = ["Accept", "Unposted", "Refuse"];
  await insertOrders(
    database,
    names.map((creditorName) => ({ orderId: creditorName, creditorName, creditor: elsewhere })),
    now,
  );
  await engine.drain();
  const states = await Promise.all(names.map((name) => orderState(database, name)));
  assert.deepEqual(
    states.map(({ status }) => status),
    ["ACCC", "ACWP", "RJCT"],
  );
  assert.equal(states[2]?.reasonCode, "AC04");
  assert.equal(await heldMinor(), 0n);
});

test("a future-dated payment is PDNG, and is executed at its time but not before", async () => {
  const executeAt = now.add({ hours: 48 });
  await insertOrders(
    database,
    [{ orderId: "e6", kind: "domestic-scheduled-payment", executeAt }],
    now,
  );
  await engine.drain();
  assert.equal((await orderState(database, "e6")).status, "PDNG");
  assert.deepEqual(calls, []);
  assert.equal((await engine.nextDueAt())?.toString(), executeAt.toString());
  assert.equal(await engine.lagSeconds(), 0);
  now = executeAt.subtract({ seconds: 1 });
  assert.equal(await engine.tick(), 0);
  now = executeAt.add({ seconds: 5 });
  assert.equal(await engine.lagSeconds(), 5);
  await engine.drain();
  assert.equal((await orderState(database, "e6")).status, "ACCC");
  assert.equal(await engine.lagSeconds(), 0);
});

test("a future-dated payment that all signatories have approved is ACCP", async () => {
  const executeAt = now.add({ hours: 48 });
  await insertOrders(
    database,
    [{ orderId: "e7", kind: "domestic-scheduled-payment", status: "PATC", executeAt }],
    now,
  );
  await engine.drain();
  assert.equal((await orderState(database, "e7")).status, "ACCP");
  now = executeAt;
  await engine.drain();
  assert.equal((await orderState(database, "e7")).status, "ACCC");
});

test("a payment that the bank could not accept is retried at growing intervals", async () => {
  await insertOrders(database, [{ orderId: "e8" }], now);
  const error = new BankError("retry", "closed for a moment");
  for (const seconds of [1, 2, 4]) {
    faults = [{ call: "reserve", error, when: "before" }];
    assert.equal(await engine.tick(), 1);
    const state = await orderState(database, "e8");
    assert.equal(state.status, "RCVD");
    assert.equal(state.leaseOwner, null);
    assert.equal(state.dueAt?.since(now).total("seconds"), seconds);
    assert.equal(await engine.tick(), 0);
    now = now.add({ seconds });
  }
  await engine.drain();
  assert.equal((await orderState(database, "e8")).status, "ACCC");
  assert.equal(calls.filter((call) => call.startsWith("ask")).length, 0);
  assert.equal(logged.length, 3);
});

for (const call of ["reserve", "execute"] as const) {
  for (const when of ["before", "after"] as const) {
    const heard = when === "after" ? "was heard" : "was not heard";
    test(`after a lost ${call} that ${heard}, the engine asks first and then acts once`, async () => {
      const orderId = `e9-${call}-${when}`;
      await insertOrders(database, [{ orderId }], now);
      faults = [{ call, error: new BankError("unknown", "the line broke"), when }];
      await engine.drain();
      assert.equal(
        (await orderState(database, orderId)).status,
        call === "reserve" ? "RCVD" : "ACFC",
      );
      calls = [];
      now = now.add({ seconds: 1 });
      await engine.drain();
      assert.equal(calls[0], "ask 1");
      const again = when === "before" ? [`${call} 1`] : [];
      assert.deepEqual(
        calls.filter((other) => other.startsWith(call)),
        again,
      );
      assert.equal((await orderState(database, orderId)).status, "ACCC");
      assert.equal(await postings(orderId), 1);
      assert.equal(await heldMinor(), 0n);
    });
  }
}

test("an unexpected error counts as an unknown outcome", async () => {
  await insertOrders(database, [{ orderId: "e10" }], now);
  faults = [{ call: "execute", error: new TypeError("a bug"), when: "after" }];
  await engine.drain();
  now = now.add({ seconds: 1 });
  calls = [];
  await engine.drain();
  assert.deepEqual(calls, ["ask 1"]);
  assert.equal((await orderState(database, "e10")).status, "ACCC");
});

test("a payment that the bank refuses is rejected without affecting its batch", async () => {
  await insertOrders(database, [{ orderId: "e11" }, { orderId: "e12" }], now);
  const error = new BankError("refused", "not like this");
  faults = [
    { call: "execute", error, when: "before" },
    { call: "execute", error, when: "before" },
  ];
  await engine.drain();
  assert.deepEqual(calls, ["reserve 2", "execute 2", "execute 1", "release 1", "execute 1"]);
  const statuses = [await orderState(database, "e11"), await orderState(database, "e12")];
  assert.deepEqual(statuses.map(({ status }) => status).sort(), ["ACCC", "RJCT"]);
  assert.equal(await heldMinor(), 0n);
});

test("an expired lease is taken over, and the payment's outcome is asked first", async () => {
  await insertOrders(database, [{ orderId: "e13" }], now);
  await database.query(sql`update payment set lease_owner = 'dead', attempt = 1,
    lease_until = clock_timestamp() + interval '30 seconds' where order_id = 'e13'`);
  assert.equal(await engine.tick(), 0);
  await database.query(sql`update payment set lease_until = clock_timestamp()
    where order_id = 'e13'`);
  assert.equal(await engine.tick(), 1);
  assert.deepEqual(calls, ["ask 1", "reserve 1", "execute 1"]);
  assert.equal((await orderState(database, "e13")).status, "ACCC");
});

test("a lease that was taken while the database's clock was ahead is taken over", async () => {
  await insertOrders(database, [{ orderId: "e16" }], now);
  await database.query(sql`update payment set lease_owner = 'dead', attempt = 1,
    lease_until = clock_timestamp() + interval '10 minutes' where order_id = 'e16'`);
  assert.equal(await engine.tick(), 1);
  assert.deepEqual(calls, ["ask 1", "reserve 1", "execute 1"]);
  assert.equal((await orderState(database, "e16")).status, "ACCC");
});

test("an engine that lost its lease during a bank call changes nothing", async () => {
  await insertOrders(database, [{ orderId: "e14" }], now);
  const slow = createEngine({
    database,
    bank: {
      ...bank,
      async execute(payments) {
        const outcomes = await bank.execute(payments);
        await database.query(sql`update payment set lease_owner = 'other', attempt = 2,
          lease_until = clock_timestamp() where order_id = 'e14'`);
        return outcomes;
      },
    },
    clock,
    owner: "slow",
    batchSize: 64,
    log: { error: (details) => void logged.push(details) },
  });
  assert.equal(await slow.tick(), 1);
  assert.equal((await orderState(database, "e14")).status, "ACFC");
  await engine.drain();
  assert.equal((await orderState(database, "e14")).status, "ACCC");
  assert.equal(await postings("e14"), 1);
});

test("a woken loop processes new payments, and stops when all are settled", async () => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const loop = createEngine({
    database,
    bank,
    clock,
    owner: "loop",
    batchSize: 64,
    log: { error: (details) => void logged.push(details) },
    onStep: (moment) => moment === "executed" && reach(),
  });
  loop.start(3_600_000);
  try {
    await insertOrders(database, [{ orderId: "e15" }], now);
    loop.wake();
    await reached;
  } finally {
    await loop.stop();
  }
  assert.equal((await orderState(database, "e15")).status, "ACCC");
});

test("P-118: the periodic sweep rejects overdue consents and deletes old idempotency keys", async () => {
  const old = now.subtract({ hours: 25 });
  const waiting = { kind: "domestic-payment", clientId: "tpp", status: "AWAU", waits: true };
  await addConsents(database, [{ ...waiting, consentId: "overdue", at: old }]);
  const used = { clientId: "tpp", operation: "POST /x" };
  const keys = Array.from({ length: 1200 }, (_, index) => `${index + 1}`);
  await addIdempotencyKeys(database, { ...used, keys: ["old", ...keys], at: old });
  await addIdempotencyKeys(database, { ...used, keys: ["alive"], at: now });
  await engine.sweep();
  assert.equal(await consentStatus(database, "overdue"), "RJCT");
  const left = await database.query(sql`select key from idempotency_key`);
  assert.deepEqual(left, [{ key: "alive" }]);
});
