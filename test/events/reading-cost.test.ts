import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCollector } from "#src/events/collect-events.ts";
import { allEventNames } from "#src/events/registration.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { eventSubjects } from "#src/server/opening/open-events.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { insertAccounts } from "#test/payments/execution/orders.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { countRead } from "#test/storage/rows-read.ts";

// The reader runs twice a second, so the cost of a reading must not depend on the size of the bank.

const rows = 3_000;
const now = Temporal.Instant.from("2027-03-01T10:00:00Z");
const n = sql`generate_series(1, ${rows}::integer) as n`;

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
  for (const [prefix, kind, version, status] of [
    ["used", "domestic-payment", "pisp-v4.0", "COND"],
    ["vrp", "domestic-vrp", "pisp-v4.0", "AUTH"],
    ["access", "account-access", "aisp-v4.0", "AUTH"],
  ]) {
    await database.query(sql`
      insert into consent (consent_id, kind, api_version, client_id, status, created_at,
        status_updated_at, authorised_at, body, changed_by, changed_at)
      select ${`${prefix}-`} || n, ${kind}, ${version}, 'tpp', ${status}, ${now}, ${now}, ${now},
        '{}', 'customer', ${now} from ${n}`);
    await database.query(sql`
      insert into consent_account (consent_id, account_id, covered_from)
      select ${`${prefix}-`} || n, 'account-' || n, ${now} from ${n}`);
  }
  await database.query(sql`
    insert into payment_order (order_id, consent_id, kind, family, api_version, client_id,
      customer_id, debtor_account_id, status, created_at, status_updated_at)
    select 'order-' || n, 'used-' || n, 'domestic-payment', 'immediate', 'pisp-v4.0', 'tpp', 'ann',
      'account-' || n, 'PDNG', ${now}, ${now} from ${n}`);
}

const moveCursor = () =>
  database.query(sql`update event_cursor set last = (select max(sequence) from change)`);

/** Changes the orders up to this number. */
const changeOrders = (last: number, cause: string) =>
  database.query(sql`
    update payment_order set status = 'ACSP', revision = revision + 1, changed_by = ${cause},
      changed_at = ${now}
    where order_id in (select 'order-' || n from generate_series(1, ${last}::integer) as n)`);

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
  await database.query(sql`
    update consent set status = 'CANC', revision = revision + 1, changed_by = 'customer',
      changed_at = ${now}
    where consent_id = 'access-1'`);
  await database.query(sql`
    update account set status = 'Disabled', status_updated_at = ${now}
    where account_id in ('account-2', 'account-3')`);
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
