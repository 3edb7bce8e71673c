import { systemClock } from "#src/lib/clock.ts";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import type { Database } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import {
  elsewhere,
  insertAccounts,
  insertOrders,
  numberOf,
} from "#test/payments/execution/orders.ts";
import { startPostgres } from "#test/postgres.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";
import { prepareTpcB, tpcB } from "./lib/tpc-b.ts";

// How many orders per second the engine settles on the ledger, from the status received on. Half
// are paid inside the bank and half to another bank. They are compared with the TPC-B transactions
// per second of the same server, in turns, in one run.

const accounts = 200;
const batchSize = Number(process.env.BENCH_BATCH ?? 128);
const engines = Number(process.env.BENCH_ENGINES ?? 2);
const seconds = isQuick ? 2 : 5;
const rounds = isQuick ? 2 : 3;
const ordersEach = { postgres: isQuick ? 3000 : 10_000, pglite: isQuick ? 1000 : 5000 };

async function addOrders(database: Database, from: number, count: number): Promise<void> {
  for (let first = from; first < from + count; first += 1000) {
    const some = Array.from({ length: Math.min(1000, from + count - first) }, (_, index) => {
      const n = first + index;
      const debtor = 1 + (n % accounts);
      const creditor = n % 2 ? elsewhere : numberOf(1 + ((n * 7 + 1) % accounts));
      const same = creditor === numberOf(debtor);
      return {
        orderId: `order-${n}`,
        debtor: `account-${debtor}`,
        creditor: same ? elsewhere : creditor,
      };
    });
    await insertOrders(database, some, systemClock.now());
  }
  await database.execute("analyze");
}

function engineOn(database: Database, owner: string): Engine {
  return createEngine({
    database,
    bank: createSandboxBank({ database, clock: systemClock, scheme: () => ({ kind: "accept" }) }),
    clock: systemClock,
    owner,
    batchSize,
    log: { error: (details, text) => console.error(text, details) },
  });
}

/** Settles `count` new orders with one engine per connection. Returns the orders per second. */
async function settle(databases: Database[], from: number, count: number): Promise<number> {
  const [database] = databases as [Database, ...Database[]];
  await addOrders(database, from, count);
  const working = databases.map((own, index) => engineOn(own, `engine-${index}`));
  const started = performance.now();
  await Promise.all(working.map((engine) => engine.drain()));
  const elapsed = (performance.now() - started) / 1000;
  const [row] = await database.query<{ settled: number }>(
    sql`select count(*)::integer as settled from payment where status = 'ACCC'`,
  );
  if (row?.settled !== from + count) throw new Error(`${row?.settled} orders were settled`);
  return count / elapsed;
}

async function open(databases: Database[]): Promise<Database[]> {
  const [database] = databases as [Database, ...Database[]];
  await migrate(database);
  await insertAccounts(database, { accounts, balanceMinor: 1_000_000_000n });
  return databases;
}

async function measurePostgres(): Promise<void> {
  const server = await startPostgres({ flushes: true });
  try {
    const url = await server.createDatabase(`bench_settlement_${process.pid}`);
    const databases = await open(
      await Promise.all(Array.from({ length: engines }, () => openPostgres(url, 1))),
    );
    const yardstick = await prepareTpcB(await server.createDatabase(`bench_tpcb_${process.pid}`));
    const settled: number[] = [];
    const tps: number[] = [];
    for (let round = 0; round < rounds; round++) {
      tps.push(await tpcB(yardstick, seconds));
      const count = ordersEach.postgres;
      settled.push(await settle(databases, round * count, count));
    }
    const ratios = settled.map((rate, round) => rate / (tps[round] ?? Number.NaN));
    const what = `PostgreSQL, ${engines} engines, batches of ${batchSize}`;
    show(what, `${median(settled).toFixed(0)} orders/s`);
    show(`TPC-B by ${yardstick.by}, 4 clients`, `${median(tps).toFixed(0)} transactions/s`);
    conclude({
      name: "settlement, PostgreSQL / TPC-B on the same server",
      value: median(ratios),
      unit: "",
      aim: "aim: at least 0.5",
    });
    await Promise.all(databases.map((database) => database.close()));
  } finally {
    await server.stop();
  }
}

async function measurePglite(): Promise<void> {
  const databases = await open([await openPglite({})]);
  const settled: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const count = ordersEach.pglite;
    settled.push(await settle(databases, round * count, count));
  }
  show(`PGlite, batches of ${batchSize}`, `${median(settled).toFixed(0)} orders/s`);
  const peak = process.resourceUsage().maxRSS / 1024;
  show("  peak memory of this process", `${peak.toFixed(0)} MB`);
  await Promise.all(databases.map((database) => database.close()));
}

console.log("\nSettlement by the engine");
await measurePostgres();
await measurePglite();
