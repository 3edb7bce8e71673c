import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { InternationalRecord } from "#src/bank/international-record.ts";
import { bankZone, processingInstant } from "#src/payments/calendar/timing.ts";
import { createEngine } from "#src/payments/execution/engine.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { kindNamed, type PaymentKindId } from "#src/standard/kind-id.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { skipTwin, startPostgres, type TestPostgres } from "#test/postgres.ts";
import { countHolds } from "#test/sandbox/stored-ledger.ts";
import { drawKills, live, seeded } from "./lives.ts";
import { elsewhere, insertAccounts, insertOrders, type TestOrder } from "./orders.ts";
import { clockFrom, endOf, schemeByName } from "./outside.ts";
import { daily, insertStandingOrders } from "./standing-orders.ts";

const start = Temporal.Instant.from("2027-03-01T09:00:00Z");
const hoursInMonth = 31 * 24;
const accounts = 12;
const fileSize = 40;
const open: Database[] = [];
let server: TestPostgres;

before(async () => {
  if (skipTwin) return;
  server = await startPostgres();
});
after(async () => {
  await Promise.all(open.map((each) => each.close()));
  await server?.stop();
});

const names = Object.keys(endOf);
const random = seeded(20270301);
const draw = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const debtor = () => `account-${1 + Math.floor(random() * accounts)}`;
const someDay = () =>
  processingInstant(Temporal.PlainDate.from("2027-03-02").add({ days: Math.floor(random() * 30) }));

const several = (count: number, kind: PaymentKindId, more: () => Partial<TestOrder>): TestOrder[] =>
  Array.from({ length: count }, (_, index) => ({
    orderId: `${kind}-${index}`,
    kind,
    debtor: debtor(),
    amountMinor: BigInt(1 + Math.floor(random() * 500)),
    creditor: elsewhere,
    creditorName: draw(names),
    ...more(),
  }));

/** International terms in a currency other than the account's. */
const terms = (): InternationalRecord => ({
  transferCurrency: draw(["EUR", "USD", "JPY"]),
  rate: null,
  contractId: null,
  charge: draw([null, { amountMinor: "1200", currency: "GBP" }]),
  deduction: null,
  network: "SWIFT",
  creditorAgent: { bic: "NONEUS33", name: null, country: null },
  fundsAtOnce: false,
});

/** The body of a consent whose limits allow all payments of a year. */
const limitsBody = {
  Data: {
    ControlParameters: {
      MaximumIndividualAmount: { Amount: "100.00", Currency: "GBP" },
      PeriodicLimits: [
        { PeriodType: "Year", PeriodAlignment: "Consent", Amount: "1000.00", Currency: "GBP" },
      ],
    },
    Initiation: {},
  },
  Risk: {},
};

/** Fills the month with orders of every kind. */
async function fillMonth(database: Database): Promise<void> {
  const abroad = { amountMinor: 50_000n };
  const internationals = [
    ...several(40, "international-payment", () => abroad),
    ...several(30, "international-scheduled-payment", () => ({ ...abroad, executeAt: someDay() })),
  ];
  const files = several(6, "file-payment", () => ({
    creditorName: "Accept",
    executeAt: draw([null, someDay()]),
  }));
  await insertOrders(
    database,
    [
      ...several(60, "domestic-payment", () => ({})),
      ...several(60, "domestic-scheduled-payment", () => ({ executeAt: someDay() })),
      ...internationals,
      ...files,
      ...several(20, "domestic-vrp", () => ({})),
    ],
    start,
  );
  // their consents stay authorised
  await database.query(sql`update payment_order o set consent_use = 'within limits',
      amount_minor = p.amount_minor, currency = p.currency
    from payment p where p.order_id = o.order_id and o.kind = 'domestic-vrp'`);
  const vrps = await consentsOf(database, sql`kind = 'domestic-vrp'`);
  await setConsent(database, vrps, { status: "AUTH", body: JSON.stringify(limitsBody) });
  await database.query(sql`insert into limit_use (consent_id, day, amount_minor)
    select consent_id, (created_at at time zone ${bankZone})::date, amount_minor
    from payment_order where kind = 'domestic-vrp'`);
  for (const { orderId } of internationals) {
    await database.query(sql`update payment set international = ${JSON.stringify(terms())}::json
      where order_id = ${orderId}`);
  }
  await database.query(sql`update payment p set charge_minor = 2000 from payment_order o
    where o.order_id = p.order_id and o.kind like 'domestic%' and p.amount_minor % 5 = 0`);
  const rest = Array.from({ length: fileSize - 1 }, (_, index) => index + 2);
  await database.query(sql`update payment p set in_work_of_file = o.order_id from payment_order o
    where o.order_id = p.order_id and o.kind = 'file-payment'`);
  await database.query(sql`update payment_order set file_in_work_since = created_at
    where kind = 'file-payment'`);
  await database.query(sql`
    insert into payment (payment_id, order_id, sequence, status, created_at, status_updated_at,
      debtor_account_id, amount_minor, charge_minor, currency, creditor, execute_at, due_at,
      in_work_of_file)
    select p.order_id || '-' || n, p.order_id, n, p.status, p.created_at, p.status_updated_at,
      p.debtor_account_id, p.amount_minor + n, n % 3 * 10, p.currency,
      json_build_object('schemeName', p.creditor->>'schemeName',
        'identification', p.creditor->>'identification',
        'name', case when n % 13 = 0 and p.order_id like '%-0' then 'Refuse' else 'Accept' end),
      p.execute_at, p.due_at, p.order_id
    from payment p join payment_order o on o.order_id = p.order_id,
      unnest(${rest}::integer[]) as n
    where o.kind = 'file-payment'`);
  const ids = Array.from({ length: 15 }, (_, index) => `domestic-standing-order-${index}`);
  await insertStandingOrders(database, ids, daily("2027-03-03", 20), start);
  await sendAbroad(database, ids.slice(0, 5));
}

/** Returns the consents of the orders that meet a condition. */
const consentsOf = async (database: Database, where: Sql): Promise<string[]> =>
  (
    await database.query<{ id: string }>(sql`
      select consent_id as id from payment_order where ${where}`)
  ).map(({ id }) => id);

/** Makes standing orders international. */
async function sendAbroad(database: Database, orderIds: readonly string[]): Promise<void> {
  const kind = "international-standing-order";
  const its = await consentsOf(database, sql`order_id = any(${[...orderIds]}::text[])`);
  await setConsent(database, its, { kind });
  await database.query(sql`update payment_order set kind = ${kind}
    where order_id = any(${[...orderIds]}::text[])`);
  await database.query(sql`update payment set international = ${JSON.stringify(terms())}::json,
    amount_minor = 50000, creditor = json_build_object('schemeName', creditor->>'schemeName',
      'identification', ${elsewhere}::text, 'name', creditor->>'name')
    where order_id = any(${[...orderIds]}::text[])`);
}

test("a month with every kind of payment survives 50 kills, and is consistent after each", {
  skip: skipTwin,
}, async () => {
  const url = await server.createDatabase("month");
  const database = await openPostgres(url, 2);
  open.push(database);
  await migrate(database);
  await insertAccounts(database, { accounts, balanceMinor: 1_000_000_000n });
  await fillMonth(database);
  const kills = drawKills(50, random);
  const timeOf = (life: number): Temporal.Instant =>
    start.add({ hours: Math.floor((life * hoursInMonth) / kills.length) });
  let next = 0;

  async function relive(): Promise<void> {
    for (let life = next++; life < kills.length; life = next++) {
      await live(url, `worker-${life}`, kills[life] ?? "", timeOf(life));
      assert.deepEqual(await verifyInvariants(database), [], `after kill ${life}, ${kills[life]}`);
    }
  }
  // a worker that finds nothing due would not end, so new orders are added all the time
  async function load(): Promise<void> {
    for (let round = 0; next < kills.length + 3; round++) {
      const now = timeOf(Math.min(next, kills.length));
      const due = await database.query(sql`select 1 from payment where due_at <= ${now}`);
      const orders = several(12, "domestic-payment", () => ({})).map((order, index) => ({
        ...order,
        orderId: `late-${round}-${index}`,
      }));
      if (due.length < 60) await insertOrders(database, orders, timeOf(Math.max(0, next - 3)));
      await delay(20);
    }
  }
  await Promise.all([load(), relive(), relive(), relive()]);

  const clock = clockFrom(start.add({ hours: 2 * hoursInMonth }));
  const scheme = schemeByName(Temporal.Duration.from({ milliseconds: 200 }));
  const last = createEngine({
    database,
    bank: createSandboxBank({ database, clock, scheme }),
    clock,
    owner: "last",
    batchSize: 64,
    log: { error: (details, text) => assert.fail(`${text}: ${JSON.stringify(details)}`) },
  });
  while ((await last.nextDueAt()) !== null) {
    if ((await last.tick()) === 0) await delay(20);
  }
  await last.sweep();
  assert.deepEqual(await verifyInvariants(database), []);
  await checkEndings(database);
  assert.equal(await countHolds(database), 0);
});

type Ending = {
  orderId: string;
  kind: PaymentKindId;
  status: string;
  payments: { status: string; name: string; reason: string | null }[];
};

async function checkEndings(database: Database): Promise<void> {
  const endings = await database.query<Ending>(sql`
    select o.order_id as "orderId", o.kind, o.status,
      json_agg(json_build_object('status', p.status, 'name', p.creditor->>'name',
        'reason', p.status_reason_code)) as payments
    from payment_order o join payment p on p.order_id = o.order_id
    group by o.order_id, o.kind, o.status`);
  const kinds = new Set(endings.map(({ kind }) => kind));
  assert.deepEqual([...kinds].sort(), paymentKinds.map(({ id }) => id).sort());
  const taken = await database.query(sql`select 1 from payment where attempt > 1`);
  assert.ok(taken.length > 25, `${taken.length} payments were taken over from the dead`);
  for (const { orderId, kind, status, payments } of endings) {
    for (const payment of payments) {
      const end = endOf[payment.name] ?? "ACCC";
      assert.equal(payment.status, end, `${orderId} ${payment.reason}`);
    }
    const { family } = kindNamed(kind, paymentKinds);
    if (family === "immediate" || family === "scheduled")
      assert.equal(status, payments[0]?.status, orderId);
    if (family === "standingOrder") {
      assert.equal(status, "INCO", orderId);
      assert.equal(payments.length, 20, orderId);
    }
    if (family === "file") {
      const failed = payments.some((payment) => payment.status === "RJCT");
      assert.equal(status, failed ? "INFA" : "INCO", orderId);
      assert.equal(payments.length, fileSize, orderId);
    }
  }
}
