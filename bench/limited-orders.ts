import { usedOnce, usedWithinLimits } from "#src/consents/states.ts";
import { systemClock } from "#src/lib/clock.ts";
import type { LimitWindow } from "#src/payments/limits/windows.ts";
import { type NewOrder, orderCreation } from "#src/payments/submission/create-order.ts";
import { limitedCreation } from "#src/payments/submission/limits.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { elsewhere, insertAccounts } from "#test/payments/execution/orders.ts";
import { startPostgres } from "#test/postgres.ts";
import { readCpuTime } from "./lib/cpu-time.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";

// Creates orders within limits, under many consents and under one, against orders that use their
// consent up. Only the creating statement is measured: everything else that an order costs is the
// same. The ways are measured in turns.

const ordersEach = isQuick ? 1000 : 4000;
const rounds = isQuick ? 3 : 7;
const manyConsents = 500;
const concurrent = 32;
const accounts = 200;
const now = systemClock.now();

type Way = { name: string; consents: number | "one each" };

const ways: readonly Way[] = [
  { name: "orders that use their consent up", consents: "one each" },
  { name: `orders within the limits of ${manyConsents} consents`, consents: manyConsents },
  { name: "orders within the limits of one consent", consents: 1 },
];

/** The limits of a week and of a year, which nothing here exceeds. */
const limits: readonly LimitWindow[] = [7, 365].map((days, position) => ({
  position,
  startsAt: now.subtract({ hours: 24 }),
  endsAt: now.add({ hours: 24 * days }),
  limitMinor: 10n ** 15n,
}));

let consentCount = 0;
let orderCount = 0;

async function addConsents(database: Database, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => `consent-${++consentCount}`);
  await database.query(sql`
    insert into consent (api_version, consent_id, kind, client_id, status, created_at,
      status_updated_at, body, customer_id, grant_id, authorised_at)
    select 'pisp-v4.0', id, 'domestic-payment', 'tpp', 'AUTH', ${now}, ${now},
      '{"Data":{},"Risk":{}}', 'ann', id, ${now}
    from unnest(${ids}::text[]) as id`);
  return ids;
}

function draft(consentId: string, isLimited: boolean): NewOrder {
  orderCount += 1;
  const id = `order-${orderCount}`;
  return {
    consent: { consentId },
    course: isLimited ? usedWithinLimits : usedOnce,
    order: {
      orderId: id,
      consentId,
      kind: "domestic-payment",
      family: "immediate",
      apiVersion: "pisp-v4.0",
      clientId: "tpp",
      customerId: "ann",
      debtorAccountId: `account-${1 + (orderCount % accounts)}`,
      status: "RCVD",
      statusReason: [],
      createdAt: now,
      statusUpdatedAt: now,
      terms: { debtor: {} },
      signatoriesRequired: null,
      signatoriesReceived: null,
      authorisationStatus: null,
      authorisationUpdatedAt: null,
      authorisationExpiresAt: null,
      signedBy: [],
    },
    payments: [
      {
        paymentId: `payment-${orderCount}`,
        amount: { amountMinor: 123n, currency: "GBP" },
        chargeMinor: 0n,
        executeAt: null,
        creditor: {
          schemeName: "UK.OBIE.SortCodeAccountNumber",
          identification: elsewhere,
          name: "The Corner Shop Limited",
          secondaryIdentification: null,
        },
        endToEndId: id,
        reference: null,
        localInstrument: null,
        dueAt: now,
      },
    ],
    use: { clientId: "tpp", operation: "POST /orders", key: id, fingerprint: id },
    interactionId: id,
  };
}

type Measured = { ordersPerSecond: number; databaseMilliseconds: number };

async function measure(database: Database, { consents }: Way): Promise<Measured> {
  const isLimited = consents !== "one each";
  const ids = await addConsents(database, isLimited ? consents : ordersEach);
  const orders = Array.from({ length: ordersEach }, (_, index) =>
    draft(ids[index % ids.length] ?? "", isLimited),
  );
  await database.execute("analyze");
  const once = orderCreation(database);
  const within = limitedCreation(database);
  const create = async (order: NewOrder): Promise<boolean> =>
    isLimited ? (await within({ ...order, limits })).isCreated : once(order);
  const before = await readCpuTime(database);
  const started = performance.now();
  const lanes = Array.from({ length: concurrent }, async () => {
    for (let order = orders.pop(); order; order = orders.pop()) {
      if (!(await create(order))) throw new Error(`${order.order.orderId} was not created`);
    }
  });
  await Promise.all(lanes);
  const seconds = (performance.now() - started) / 1000;
  const after = await readCpuTime(database);
  const spent = (after.database ?? 0) - (before.database ?? 0);
  return { ordersPerSecond: ordersEach / seconds, databaseMilliseconds: spent / ordersEach };
}

console.log(`\nOrders within limits: ${rounds} × ${ordersEach}, ${concurrent} at a time`);
const server = await startPostgres();
try {
  const database = await openPostgres(await server.createDatabase(`bench_limits_${process.pid}`));
  await migrate(database);
  await insertAccounts(database, { accounts, balanceMinor: 1_000_000_000n });
  const done = new Map<Way, Measured[]>(ways.map((way) => [way, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [way, results] of done) {
      const result = await measure(database, way);
      // the first round warms up
      if (round > 0) results.push(result);
    }
  }
  const middle = (way: Way, pick: (one: Measured) => number): number =>
    median((done.get(way) ?? []).map(pick));
  for (const way of ways) {
    show(
      way.name,
      `${middle(way, ({ ordersPerSecond }) => ordersPerSecond).toFixed(0)} orders/s`,
      `database ${middle(way, (one) => one.databaseMilliseconds).toFixed(3)} ms per order`,
    );
  }
  const [once, many, one] = ways as [Way, Way, Way];
  const ratio = (way: Way): number =>
    middle(way, ({ ordersPerSecond }) => ordersPerSecond) /
    middle(once, ({ ordersPerSecond }) => ordersPerSecond);
  const name = "orders within limits / orders that use their consent up";
  conclude({ name: `${name}, many consents`, value: ratio(many), unit: "", aim: "no aim" });
  conclude({ name: `${name}, one consent`, value: ratio(one), unit: "", aim: "no aim" });
  await database.close();
} finally {
  await server.stop();
}
