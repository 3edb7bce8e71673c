import { type SpawnSyncOptionsWithStringEncoding, spawnSync } from "node:child_process";
import { createSandboxBank } from "#src/bank/sandbox/sandbox-bank.ts";
import { systemClock } from "#src/lib/clock.ts";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
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

// Orders a second that the engine takes from received to settled on the ledger, against the
// transactions a second of pgbench's TPC-B on the same server, if there is a pgbench.

const accounts = 200;
const batchSize = Number(process.env.BENCH_BATCH ?? 128);
const engines = Number(process.env.BENCH_ENGINES ?? 2);
const seconds = Number(process.env.BENCH_SECONDS ?? 5);

async function prepare(database: Database, orders: number): Promise<void> {
  await migrate(database);
  await insertAccounts(database, { accounts, balanceMinor: 1_000_000_000n });
  for (let first = 0; first < orders; first += 1000) {
    const some = Array.from({ length: Math.min(1000, orders - first) }, (_, index) => {
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

async function measure(databases: Database[], orders: number): Promise<number> {
  const [database] = databases as [Database, ...Database[]];
  await prepare(database, orders);
  const working = databases.map((own, index) => engineOn(own, `engine-${index}`));
  const started = performance.now();
  await Promise.all(working.map((engine) => engine.drain()));
  const elapsed = (performance.now() - started) / 1000;
  const [row] = await database.query<{ settled: number }>(
    sql`select count(*)::integer as settled from payment where status = 'ACCC'`,
  );
  if (row?.settled !== orders) throw new Error(`${row?.settled} of ${orders} were settled`);
  return orders / elapsed;
}

/** Transactions a second of TPC-B with four clients, or null without pgbench. */
function tpcB(url: string): number | null {
  const quiet: SpawnSyncOptionsWithStringEncoding = {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  };
  if (spawnSync("pgbench", ["-i", "-q", "-s", "10", url], quiet).status !== 0) return null;
  const run = spawnSync("pgbench", ["-c", "4", "-j", "2", "-T", `${seconds}`, url], quiet);
  const found = /tps = ([\d.]+)/.exec(run.stdout ?? "");
  return found ? Number(found[1]) : null;
}

const show = (name: string, value: string) => console.log(`${name.padEnd(44)}${value}`);
const server = await startPostgres();
try {
  const url = await server.createDatabase("settlement");
  const own = await Promise.all(Array.from({ length: engines }, () => openPostgres(url, 1)));
  const settled = await measure(own, 20_000);
  await Promise.all(own.map((database) => database.close()));
  show(`PostgreSQL, ${engines} engines, batches of ${batchSize}`, `${settled.toFixed(0)} orders/s`);
  const tps = tpcB(await server.createDatabase("tpcb"));
  if (tps === null) {
    show("pgbench TPC-B", "there is no pgbench");
  } else {
    show("pgbench TPC-B, 4 clients, scale 10", `${tps.toFixed(0)} transactions/s`);
    show("ratio (aim: at least 0.5)", (settled / tps).toFixed(2));
  }
} finally {
  await server.stop();
}
const embedded = await openPglite({});
show(
  `PGlite, batches of ${batchSize}`,
  `${(await measure([embedded], 5_000)).toFixed(0)} orders/s`,
);
await embedded.close();
