import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCollector } from "#src/events/collect-events.ts";
import { allEventNames } from "#src/events/registration.ts";
import { changed, lastSequence, type Why } from "#src/history/change.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { eventSubjects } from "#src/server/opening/open-events.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { setAccount } from "#test/account-store/stored-facts.ts";
import { addConsents } from "#test/consents/add-consents.ts";
import { changeStatus } from "#test/consents/stored-rows.ts";
import { addOrders } from "#test/payments/add-orders.ts";
import { insertAccounts } from "#test/payments/execution/orders.ts";
import { setOrders } from "#test/payments/stored-orders.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { countRead } from "#test/storage/rows-read.ts";

// The reader runs twice a second, so the cost of a reading must not depend on the size of the bank.

const rows = 3_000;
const now = Temporal.Instant.from("2027-03-01T10:00:00Z");
const numbers = Array.from({ length: rows }, (_, index) => index + 1);

let database: Database;
before(async () => {
  database = await openEmpty();
  await insertAccounts(database, { accounts: rows, balanceMinor: 100n });
  await fill();
  await database.query(sql`
    insert into event_subscription (client_id, subscription_id, form, api_version, version,
      event_types, since)
    values ('tpp', 'evs-one', 'subscription', 'events-v4.0', '4.0', ${[...allEventNames]},
      ${now})`);
  await moveCursor();
  await database.execute("vacuum analyze");
});
after(() => database?.close());

/** Fills each table that a reading uses with the resources of one TPP. */
async function fill(): Promise<void> {
  for (const [prefix, kind, apiVersion, status] of [
    ["used", "domestic-payment", "pisp-v4.0", "COND"],
    ["vrp", "domestic-vrp", "pisp-v4.0", "AUTH"],
    ["access", "account-access", "aisp-v4.0", "AUTH"],
  ] as const) {
    const given = { kind, apiVersion, clientId: "tpp", status, at: now, authorisedAt: now };
    await addConsents(
      database,
      numbers.map((n) => ({
        ...given,
        consentId: `${prefix}-${n}`,
        changedBy: "customer",
        accountIds: [`account-${n}`],
      })),
    );
  }
  const order = { clientId: "tpp", customerId: "ann", status: "PDNG", at: now };
  await addOrders(
    database,
    numbers.map((n) => ({
      ...order,
      kind: "domestic-payment",
      orderId: `order-${n}`,
      consentId: `used-${n}`,
      debtorAccountId: `account-${n}`,
    })),
  );
}

const moveCursor = () => database.query(sql`update event_cursor set last = ${lastSequence}`);

/** Changes the orders up to this number. */
const changeOrders = (last: number, cause: Why["by"]) =>
  database.query(
    setOrders(
      numbers.slice(0, last).map((n) => `order-${n}`),
      sql`status = 'ACSP', ${changed({ by: cause, at: now, interactionId: null })}`,
    ),
  );

/** Reads the new changes once. Returns the number of events, and of rows that the server read. */
async function readChanges(): Promise<{ events: number; read: number }> {
  let read = 0;
  const counted: Database = {
    ...database,
    transaction: (work) =>
      database.transaction(async (on) => {
        const before = await countRead(on);
        const result = await work(on);
        read = (await countRead(on)) - before;
        return result;
      }),
  };
  return { events: await createCollector(counted, eventSubjects(paymentKinds))(), read };
}

test("EV-21: a reading reads only the rows of the changed consents, orders and accounts", async () => {
  await changeOrders(2, "bank");
  await database.query(changeStatus("access-1", "CANC", { by: "customer", at: now }));
  const disabled = { status: "Disabled", statusUpdatedAt: now };
  await setAccount(database, ["account-2", "account-3"], disabled);
  const { events, read } = await readChanges();
  assert.equal(events, 7, "two orders, a consent, and two consents for each account");
  assert.ok(read < 100, `${read} rows of tables of ${rows}`);
});

test("EV-21: a reading reads one row per change that the TPP made itself", async () => {
  await changeOrders(rows, "tpp");
  const { events, read } = await readChanges();
  assert.equal(events, 0);
  assert.ok(read >= rows - 2, "the counter counts the rows of a whole table");
  assert.ok(read < rows + 100, `${read} rows for ${rows} changes`);
});
