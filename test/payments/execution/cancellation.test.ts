import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Bank } from "#src/bank/port.ts";
import { cancelOrder, listUpcoming } from "#src/payments/execution/cancellation.ts";
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

const scheduled = (orderId: string, status: string, executeAt = now.add({ hours: 48 })) =>
  ({
    orderId,
    status,
    kind: "domestic-scheduled-payment",
    executeAt,
    dueAt: executeAt,
  }) satisfies TestOrder;
const cancel = (orderId: string, customerId = "ann") =>
  cancelOrder({ database, bank, clock }, { orderId, customerId });

test("cancelling a future-dated payment makes it CANC, requested by the customer", async () => {
  await insertOrders(
    database,
    [scheduled("c1", "PDNG", now.add({ hours: 72 })), scheduled("c2", "ACCP")],
    now,
  );
  const upcoming = await listUpcoming({ database, bank }, "ann");
  assert.deepEqual(
    upcoming.map(({ orderId }) => orderId),
    ["c2", "c1"],
  );
  assert.equal(await cancel("c1"), "cancelled");
  assert.equal(await cancel("c2"), "cancelled");
  const state = await orderState(database, "c1");
  assert.equal(state.status, "CANC");
  assert.equal(state.paymentStatus, "CANC");
  assert.equal(state.reason[0]?.code, "CUST");
  assert.equal(state.dueAt, null);
  assert.deepEqual(await listUpcoming({ database, bank }, "ann"), []);
  assert.equal(await cancel("c1"), "tooLate");
});

test("an order that cannot be cancelled does not change", async () => {
  await insertOrders(
    database,
    [
      scheduled("c3", "PDNG", now),
      scheduled("c4", "ACFC"),
      scheduled("c5", "ACCC"),
      scheduled("c6", "PDNG"),
      { orderId: "c7" },
    ],
    now,
  );
  for (const orderId of ["c3", "c4", "c5"]) assert.equal(await cancel(orderId), "tooLate");
  assert.equal(await cancel("c6", "eve"), "notYours");
  assert.equal(await cancel("c7"), "notFound");
  assert.equal(await cancel("nowhere"), "notFound");
  const statuses = await database.query<{ status: string }>(sql`
    select status from payment where order_id in ('c3', 'c4', 'c5', 'c6', 'c7') order by order_id`);
  assert.deepEqual(
    statuses.map(({ status }) => status),
    ["PDNG", "ACFC", "ACCC", "PDNG", "RCVD"],
  );
});

test("a customer cannot cancel a payment that the engine has leased", async () => {
  await insertOrders(database, [scheduled("c8", "PDNG")], now);
  await database.query(sql`update payment set lease_owner = 'engine' where order_id = 'c8'`);
  assert.equal(await cancel("c8"), "tooLate");
});
