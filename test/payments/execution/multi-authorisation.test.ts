import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Bank } from "#src/bank/port.ts";
import {
  decideMultiAuthorisation,
  listWaitingOrders,
  rejectOverdueAuthorisations,
} from "#src/payments/execution/multi-authorisation.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { insertAccounts, insertOrders, orderState, type TestOrder } from "./orders.ts";

const now = Temporal.Instant.from("2026-03-02T10:00:00Z");
const clock = { now: () => now };
let database: Database;
let bank: Bank;

before(async () => {
  database = await openEmpty();
  bank = createSandboxBank({ database, clock });
  await insertAccounts(database, { accounts: 2, balanceMinor: 100_000n });
});
after(() => database.close());

const waiting = (orderId: string, signatories = 2): TestOrder => ({
  orderId,
  status: "PATC",
  dueAt: null,
  signatories,
  expiresAt: now.add({ hours: 24 }),
});
const decide = (orderId: string, customerId: string, decision: "approve" | "reject") =>
  decideMultiAuthorisation({ database, bank, clock }, { orderId, customerId, decision });

test("P-171: the last signature completes the authorisation and makes the payment due", async () => {
  await insertOrders(database, [waiting("m1")], now.subtract({ hours: 1 }));
  assert.equal((await listWaitingOrders({ database, bank }, "bob"))[0]?.signed, false);
  assert.equal((await listWaitingOrders({ database, bank }, "ann"))[0]?.signed, true);
  assert.equal(await decide("m1", "bob", "approve"), "complete");
  const state = await orderState(database, "m1");
  assert.equal(state.authorisation, "AUTH");
  assert.equal(state.received, 2);
  assert.equal(state.paymentStatus, "PATC");
  assert.equal(state.dueAt?.toString(), now.toString());
  assert.deepEqual(await listWaitingOrders({ database, bank }, "bob"), []);
  assert.equal(await decide("m1", "bob", "approve"), "notWaiting");
  assert.equal(await decide("m1", "bob", "reject"), "notWaiting");
});

test("a customer cannot sign twice, nor for another customer's account", async () => {
  await insertOrders(database, [waiting("m2", 3)], now);
  assert.equal(await decide("nowhere", "bob", "approve"), "notFound");
  assert.equal(await decide("m2", "eve", "approve"), "notYours");
  assert.equal(await decide("m2", "eve", "reject"), "notYours");
  assert.equal(await decide("m2", "ann", "approve"), "alreadySigned");
  assert.equal(await decide("m2", "bob", "approve"), "signed");
  assert.equal(await decide("m2", "bob", "approve"), "alreadySigned");
  const state = await orderState(database, "m2");
  assert.equal(state.received, 2);
  assert.equal(state.authorisation, "AWAF");
  assert.equal(state.dueAt, null);
});

test("P-171: one signatory's rejection rejects the authorisation and the payment", async () => {
  await insertOrders(database, [waiting("m3")], now);
  assert.equal(await decide("m3", "bob", "reject"), "rejected");
  const state = await orderState(database, "m3");
  assert.equal(state.authorisation, "RJCT");
  assert.equal(state.status, "RJCT");
  assert.equal(state.paymentStatus, "RJCT");
  assert.equal(state.reason[0]?.code, "U037");
  assert.equal(state.dueAt, null);
  assert.equal(await decide("m3", "bob", "approve"), "notWaiting");
});

test("P-171: an order not signed in time is rejected, and cannot be signed afterwards", async () => {
  const late = { ...waiting("m4"), expiresAt: now };
  await insertOrders(database, [late, waiting("m5")], now.subtract({ hours: 24 }));
  assert.equal(await decide("m4", "bob", "approve"), "notWaiting");
  assert.equal(await rejectOverdueAuthorisations(database, now), 1);
  const state = await orderState(database, "m4");
  assert.equal(state.status, "RJCT");
  assert.equal(state.paymentStatus, "RJCT");
  assert.equal(state.authorisation, "RJCT");
  assert.equal(state.reason[0]?.code, "U036");
  assert.equal((await orderState(database, "m5")).authorisation, "AWAF");
  assert.equal(await rejectOverdueAuthorisations(database, now), 0);
});

test("an order that needs one signature does not wait", async () => {
  await insertOrders(database, [{ orderId: "m6" }], now);
  assert.equal(await decide("m6", "bob", "approve"), "notWaiting");
  const rows = await database.query(sql`select 1 from payment where due_at is null
    and order_id = 'm6'`);
  assert.equal(rows.length, 0);
});
