import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startPostgres } from "#test/postgres.ts";
import { type ComparedBank, compare, concludeRatio, cpuOf } from "./lib/against.ts";
import { openBenchBank } from "./lib/bank.ts";
import { type LoadProcess, startLoad } from "./lib/load.ts";
import { readyOrderLoad } from "./lib/order-load.ts";
import type { PreparedOrders } from "./lib/prepare-orders.ts";
import { readablePage } from "./lib/readable-page.ts";
import { isQuick, median, show } from "./lib/report.ts";
import { inTurns } from "./lib/turns.ts";

// What the log of requests costs: the CPU time of a page and of an order, of the bank and of its
// database together, without a log, with one, and with one that keeps bodies. Three banks on one
// server take turns, so that what slows the machine slows all of them. The engine is off. CPU times
// are read from /proc, so this needs Linux.

const ways = {
  "no log": { REQUEST_LOG_ENTRIES: "0" },
  log: { REQUEST_LOG_BODIES: "false" },
  "log with bodies": {},
};
const rounds = isQuick ? 3 : 10;
const warmUps = isQuick ? 1 : 2;
const pageSeconds = isQuick ? 1 : 2;
const orders = isQuick ? 300 : 600;
const connections = 16;
// the log is written about once a second: its last second belongs to what is measured
const flushMilliseconds = 1300;

type Measured = ComparedBank & { pages: LoadProcess };

type Costs = { page: number; order: number };

/** The CPU milliseconds of a page and of an order. */
async function run(one: Measured): Promise<Costs> {
  let pages = 0;
  const ofPages = await cpuOf(one, async () => {
    const { requests, failures } = await one.pages.run(pageSeconds);
    if (failures > 0) throw new Error(`${one.name}: ${failures} pages failed`);
    pages = requests;
    await sleep(flushMilliseconds);
  });
  const wanted = { name: "prepareOrders", orders, bound: false } as const;
  const prepared = await one.bank.ask<PreparedOrders>(wanted);
  const port = Number(new URL(one.bank.publicUrl).port);
  const load = await readyOrderLoad({ ...prepared, port, secure: false, connections });
  const ofOrders = await cpuOf(one, async () => {
    await load.run();
    await sleep(flushMilliseconds);
  });
  return {
    page: (ofPages.bank + ofPages.database) / pages,
    order: (ofOrders.bank + ofOrders.database) / orders,
  };
}

const postgres = await startPostgres({ flushes: true });
const kept = mkdtempSync(join(tmpdir(), "aldgate-bench-"));
const banks: ComparedBank[] = [];
const opened: Measured[] = [];
try {
  const seeded = `bench_log_${process.pid}`;
  await (await openBenchBank(await postgres.createDatabase(seeded), { kept })).close();
  for (const [name, settings] of Object.entries(ways)) {
    const url = await postgres.createDatabase(`${seeded}_${opened.length}`, seeded);
    const start = () => openBenchBank(url, { seeded: kept, settings });
    const compared = await compare(name, url, start);
    banks.push(compared);
    const { accountId: _, ...page } = await readablePage(compared.bank);
    opened.push({ ...compared, pages: startLoad({ ...page, connections }) });
  }
  console.log(`\nThe log of requests, in turns: ${rounds} rounds`);
  for (let warmUp = 0; warmUp < warmUps; warmUp++) for (const one of opened) await run(one);
  const results = await inTurns(opened, rounds, run, { isCold: true });
  const [without = [], log = [], bodies = []] = [...results.values()];
  for (const part of ["page", "order"] as const) {
    const of = (costs: Costs[]): number[] => costs.map((one) => one[part]);
    for (const [{ name }, costs] of results) {
      show(`CPU per ${part}, ${name}`, `${median(of(costs)).toFixed(3)} ms`);
    }
    const cost = `CPU per ${part}`;
    concludeRatio(`${cost} with the log / without`, of(without), of(log), "aim: at most 1.05");
    concludeRatio(`${cost} with the log and bodies / without`, of(without), of(bodies));
  }
} finally {
  for (const { pages } of opened) pages.close();
  for (const { observer, bank } of banks) {
    await observer.close();
    await bank.close();
  }
  await postgres.stop();
  rmSync(kept, { recursive: true, force: true });
}
