import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cancelOrder } from "#src/payments/execution/cancellation.ts";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { paymentsOf, readOrdersOf } from "#test/payments/stored-orders.ts";
import { skipTwin, startPostgres, type TestPostgres } from "#test/postgres.ts";
import { postingsOf } from "#test/sandbox/stored-ledger.ts";
import { insertAccounts } from "./orders.ts";
import { daily, insertStandingOrders } from "./standing-orders.ts";

let now = Temporal.Instant.from("2027-03-01T00:00:00Z");
const clock = { now: () => now };
let server: TestPostgres;
before(async () => {
  if (skipTwin) return;
  server = await startPostgres();
});
after(() => server?.stop());

function engineOn(database: Database, owner: string): Engine {
  return createEngine({
    database,
    bank: createSandboxBank({ database, clock }),
    clock,
    owner,
    batchSize: 16,
    // leases use the machine's clock; with 0 seconds, a lease expires when its statement ends
    leaseSeconds: 0,
    log: { error: () => undefined },
  });
}

/** Wraps the database for a process that dies at its nth statement. */
function dyingAt(database: Database, nth: number): { database: Database; died(): boolean } {
  let left = nth;
  const guard = (on: Queryable): Queryable => ({
    query: (statement) => {
      if (--left <= 0) return Promise.reject(new Error("the process has died"));
      return on.query(statement);
    },
  });
  return {
    died: () => left <= 0,
    database: {
      ...database,
      ...guard(database),
      transaction: (work) => database.transaction((transaction) => work(guard(transaction))),
    },
  };
}

type Made = { payments: number; settled: number; postings: number };

async function madeBy(database: Database, orderId: string): Promise<Made> {
  const payments = await readOrdersOf(database, { orderId });
  const postings = await postingsOf(database, await paymentsOf(database, orderId));
  return {
    payments: payments.length,
    settled: payments.filter(({ paymentStatus }) => paymentStatus === "ACCC").length,
    postings: postings.filter(({ purpose }) => purpose === "payment").length,
  };
}

test("a process that dies at any statement loses and doubles no payment of a standing order", async () => {
  const database = await openPglite({});
  await migrate(database);
  await insertAccounts(database, { accounts: 2, balanceMinor: 100_000n });
  // every working day, so that each of them has a payment
  const schedule = { ...daily("2027-03-01"), rhythm: { unit: "workingDay" } as const };
  await insertStandingOrders(database, ["so"], schedule, now);
  let deaths = 0;
  let day = 0;
  for (let nth = 1; ; nth++) {
    const due = await engineOn(database, "look").nextDueAt();
    assert(due);
    now = due;
    if (day === 0) now = Temporal.Instant.from("2027-03-01T06:00:00Z");
    const mortal = dyingAt(database, nth);
    await engineOn(mortal.database, `mortal-${nth}`)
      .drain()
      .catch((error) => assert.match(String(error), /died/));
    const survived = !mortal.died();
    if (!survived) deaths += 1;
    await engineOn(database, `heir-${nth}`).drain();
    now = now.add({ hours: 1 }); // payments in doubt are asked about by then
    await engineOn(database, `last-${nth}`).drain();
    day += 1;
    assert.deepEqual(await verifyInvariants(database), [], `death at statement ${nth}`);
    assert.deepEqual(
      await madeBy(database, "so"),
      { payments: day + 1, settled: day, postings: day },
      `death at statement ${nth}`,
    );
    if (survived) break;
  }
  assert(deaths >= 6, `${deaths} statements were the last of a process`);
  await database.close();
});

async function openEmpty(name: string, engines: number): Promise<Database[]> {
  const url = await server.createDatabase(name);
  const databases = await Promise.all(Array.from({ length: engines }, () => openPostgres(url, 2)));
  const [database] = databases as [Database, ...Database[]];
  await migrate(database);
  await insertAccounts(database, { accounts: 2, balanceMinor: 100_000_000n });
  return databases;
}

test("four engines make every payment of 40 standing orders over 30 days once", {
  skip: skipTwin,
}, async () => {
  now = Temporal.Instant.from("2027-03-01T00:00:00Z");
  const databases = await openEmpty("standing_orders", 4);
  const [database] = databases as [Database, ...Database[]];
  const ids = Array.from({ length: 40 }, (_, index) => `so-${index}`);
  await insertStandingOrders(database, ids, daily("2027-03-02", 30), now);
  const engines = databases.map((own, index) =>
    createEngine({
      database: own,
      bank: createSandboxBank({ database: own, clock }),
      clock,
      owner: `engine-${index}`,
      batchSize: 8,
      log: { error: (details, text) => assert.fail(`${text} ${JSON.stringify(details)}`) },
    }),
  );
  const together = () => Promise.all(engines.map((engine) => engine.drain()));
  await together();
  for (const day of ["2027-03-09", "2027-03-10", "2027-03-29", "2027-05-01"]) {
    now = Temporal.Instant.from(`${day}T12:00:00Z`);
    // an engine may find nothing due while another still processes the payment before
    for (
      let due = await engines[0]?.nextDueAt();
      due && Temporal.Instant.compare(due, now) <= 0;
    ) {
      await together();
      due = await engines[0]?.nextDueAt();
    }
    assert.deepEqual(await verifyInvariants(database), [], day);
  }
  for (const id of ids) {
    assert.deepEqual(await madeBy(database, id), { payments: 30, settled: 30, postings: 30 });
  }
  for (const each of databases) await each.close();
});

test("an order that is cancelled while an engine processes it plans no more payments", {
  skip: skipTwin,
}, async () => {
  now = Temporal.Instant.from("2027-03-01T00:00:00Z");
  const databases = await openEmpty("cancelled_orders", 3);
  const [database, second, third] = databases as [Database, Database, Database];
  const ids = Array.from({ length: 30 }, (_, index) => `so-${index}`);
  await insertStandingOrders(database, ids, daily("2027-03-02"), now);
  await engineOn(database, "setter").drain();
  now = Temporal.Instant.from("2027-03-05T12:00:00Z");
  const engines = [second, third].map((own, index) =>
    createEngine({
      database: own,
      bank: createSandboxBank({ database: own, clock }),
      clock,
      owner: `engine-${index}`,
      batchSize: 4,
      log: { error: (details, text) => assert.fail(`${text} ${JSON.stringify(details)}`) },
    }),
  );
  const cancelled = (async () => {
    for (const orderId of ids) {
      const done = await cancelOrder(
        { database, bank: createSandboxBank({ database, clock }), clock },
        { orderId, customerId: "ann" },
      );
      assert.equal(done, "cancelled");
    }
  })();
  await Promise.all([cancelled, ...engines.map((engine) => engine.drain())]);
  await engines[0]?.drain();
  assert.deepEqual(await verifyInvariants(database), []);
  const waiting = await database.query(
    sql`select payment_id from payment where due_at is not null`,
  );
  assert.deepEqual(waiting, []);
  for (const each of databases) await each.close();
});
