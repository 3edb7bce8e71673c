import { conclude, isQuick, median, show } from "#bench/lib/report.ts";
import { systemClock } from "#src/lib/clock.ts";
import { type Claim, claimDuePayments } from "#src/payments/execution/batch.ts";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { elsewhere, insertAccounts, insertOrders } from "#test/payments/execution/orders.ts";
import { startPostgres } from "#test/postgres.ts";

// Finds and settles due orders among future ones: 10,000 of them, then 1,000,000. The time to lease
// a batch must not grow with their number. Prints the plan.

const futures = isQuick ? [10_000, 100_000] : [10_000, 1_000_000];
const dueOrders = isQuick ? 2000 : 5000;
const claims = isQuick ? 30 : 100;
const batchSize = 128;
const accounts = 200;

/**
 * Inserts future scheduled payments of the next year, from the nth on, in the state in which they
 * wait.
 */
async function addFuture(database: Database, from: number, to: number): Promise<void> {
  const now = systemClock.now();
  for (let start = from; start < to; start += 50_000) {
    const end = Math.min(start + 50_000, to);
    await database.query(sql`
      with given as (
        select n, 'future-' || n as id, 'account-' || 1 + n % ${accounts} as debtor,
          ${now}::timestamptz + interval '1 day' + (n % 365) * interval '1 day' as execute_at
        from generate_series(${start}::integer, ${end - 1}::integer) n
      ), consents as (
        insert into consent (api_version,
          consent_id, kind, client_id, status, created_at, status_updated_at,
          body, customer_id, authorised_at)
        select 'pisp-v4.0',
          'consent-' || id, 'domestic-scheduled-payment', 'tpp', 'COND', ${now}, ${now},
          '{"Data":{},"Risk":{}}', 'ann', ${now}
        from given
      ), covered as (
        insert into consent_account (consent_id, account_id, covered_from)
        select 'consent-' || id, debtor, ${now}::timestamptz from given
      ), orders as (
        insert into payment_order (api_version, order_id, consent_id, kind, family, client_id,
          customer_id,
          debtor_account_id, status, created_at, status_updated_at)
        select 'pisp-v4.0',
          id, 'consent-' || id, 'domestic-scheduled-payment', 'scheduled', 'tpp', 'ann',
          debtor, 'PDNG',
          ${now}, ${now}
        from given
      )
      insert into payment (payment_id, order_id, sequence, status, created_at, status_updated_at,
        debtor_account_id, amount_minor, currency, creditor, execute_at, due_at)
      select id || '-1', id, 1, 'PDNG', ${now}, ${now}, debtor, 100, 'GBP', json_build_object(
          'schemeName', 'UK.OBIE.SortCodeAccountNumber', 'identification', ${elsewhere}::text,
          'name', 'Creditor'), execute_at, execute_at
      from given`);
  }
}

let added = 0;

/** Inserts orders that are due now. */
async function addDue(database: Database, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1000) {
    const some = Array.from({ length: Math.min(1000, left) }, () => {
      added += 1;
      return {
        orderId: `order-${added}`,
        debtor: `account-${1 + (added % accounts)}`,
        creditor: elsewhere,
      };
    });
    await insertOrders(database, some, systemClock.now());
  }
  await database.execute("analyze");
}

const claim = (): Claim => ({
  owner: "claims",
  now: systemClock.now(),
  limit: batchSize,
  leaseSeconds: 30,
});

/** Runs work in a transaction that is rolled back. */
async function undone<T>(database: Database, work: (on: Queryable) => Promise<T>): Promise<T> {
  const undo = new Error("undone");
  let result: { is: T } | undefined;
  const transaction = database.transaction(async (on) => {
    result = { is: await work(on) };
    throw undo;
  });
  await transaction.catch((error) => {
    if (error !== undo) throw error;
  });
  if (!result) throw new Error("nothing was done");
  return result.is;
}

/** Measures the milliseconds of one lease of a full batch. */
const timeClaim = (database: Database): Promise<number> =>
  undone(database, async (on) => {
    const started = performance.now();
    const { length } = await claimDuePayments(on, claim());
    const milliseconds = performance.now() - started;
    if (length !== batchSize) throw new Error(`${length} payments were leased`);
    return milliseconds;
  });

/** Returns the plan with which PostgreSQL ran the leasing statement. */
const explainClaim = (database: Database): Promise<string[]> =>
  undone(database, async (on) => {
    let lines: string[] = [];
    const explaining: Queryable = {
      async query({ text, values }) {
        const explain = "explain (analyze, buffers, costs off, summary off, timing off)";
        const rows = await on.query<{ "QUERY PLAN": string }>({
          text: `${explain} ${text}`,
          values,
        });
        lines = rows.map((row) => row["QUERY PLAN"]);
        return [];
      },
    };
    await claimDuePayments(explaining, claim());
    return lines;
  });

/** Returns the median of several measurements, in milliseconds. */
async function time(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return median(times);
}

const engineOn = (database: Database): Engine =>
  createEngine({
    database,
    bank: createSandboxBank({ database, clock: systemClock, scheme: () => ({ kind: "accept" }) }),
    clock: systemClock,
    owner: "engine",
    batchSize,
    log: { error: (details, text) => console.error(text, details) },
  });

/** Settles everything that is due. Returns orders per second. */
async function settle(database: Database, count: number): Promise<number> {
  const engine = engineOn(database);
  const started = performance.now();
  await engine.drain();
  const seconds = (performance.now() - started) / 1000;
  const row = await first<{ settled: number }>(
    database,
    sql`select count(*)::integer as settled from payment where status = 'ACCC'`,
  );
  if (row?.settled !== added) throw new Error(`${row?.settled} of ${added} orders were settled`);
  return count / seconds;
}

type Measured = { claimMilliseconds: number; ordersPerSecond: number };

async function measure(database: Database, future: number): Promise<Measured> {
  console.log(`\n${future.toLocaleString("en-GB")} orders in the future`);
  await addDue(database, dueOrders);
  const times: number[] = [];
  for (let round = 0; round < claims; round++) times.push(await timeClaim(database));
  const claimMilliseconds = median(times);
  show(
    `lease of ${batchSize} due orders, median of ${claims}`,
    `${claimMilliseconds.toFixed(2)} ms`,
  );
  const engine = engineOn(database);
  show("when the next falls due", `${(await time(() => engine.nextDueAt())).toFixed(2)} ms`);
  show("sweep", `${(await time(() => engine.sweep())).toFixed(2)} ms`);
  const plan = await explainClaim(database);
  const ordersPerSecond = await settle(database, dueOrders);
  show("from due to settled, one engine", `${ordersPerSecond.toFixed(0)} orders/s`);
  console.log(plan.map((line) => `  ${line}`).join("\n"));
  return { claimMilliseconds, ordersPerSecond };
}

console.log("\nDue orders among those of the future");
const server = await startPostgres({ flushes: true });
try {
  const database = await openPostgres(await server.createDatabase(`bench_due_${process.pid}`), 1);
  await migrate(database);
  await insertAccounts(database, { accounts, balanceMinor: 1_000_000_000n });
  const measured: Measured[] = [];
  let before = 0;
  for (const future of futures) {
    await addFuture(database, before, future);
    before = future;
    measured.push(await measure(database, future));
  }
  const [few, many] = measured as [Measured, Measured]; // one for each of `futures`
  conclude({
    name: `due orders among ${futures[1]?.toLocaleString("en-GB")} future ones`,
    value: many.ordersPerSecond,
    unit: "/s",
    aim: "shown",
  });
  conclude({
    name: "time of a lease, many future orders / few",
    value: many.claimMilliseconds / few.claimMilliseconds,
    unit: "",
    aim: "aim: about 1",
  });
  await database.close();
} finally {
  await server.stop();
}
