import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { present } from "#src/lib/assert.ts";
import { startPostgres } from "#test/postgres.ts";
import { type ComparedBank, compare, concludeRatio, cpuOf } from "./against.ts";
import { openBenchBank } from "./bank.ts";
import { type LoadProcess, startLoad } from "./load.ts";
import { readyOrderLoad } from "./order-load.ts";
import type { PreparedOrders } from "./prepare-orders.ts";
import { readablePage } from "./readable-page.ts";
import { isQuick, median, show } from "./report.ts";
import { inTurns } from "./turns.ts";

const rounds = isQuick ? 3 : 10;
const warmUps = isQuick ? 1 : 2;
const pageSeconds = isQuick ? 1 : 2;
const orders = isQuick ? 300 : 600;
const connections = 16;

/** What one bank does in several ways, by settings. */
export type Ways = {
  title: string;
  /** The settings of each way. The others are compared with the first. */
  ways: Record<string, Record<string, string>>;
  /** The aim of a way. */
  aims?: Record<string, string>;
  /** For how long the bank still works for the last request, such as until it stores a batch. */
  lingerMilliseconds: number;
};

type Measured = ComparedBank & { pages: LoadProcess };

type Costs = { page: number; order: number };

/** The CPU milliseconds of a page and of an order. */
async function costsOf(one: Measured, lingerMilliseconds: number): Promise<Costs> {
  let pages = 0;
  const ofPages = await cpuOf(one, async () => {
    const { requests, failures } = await one.pages.run(pageSeconds);
    if (failures > 0) throw new Error(`${one.name}: ${failures} pages failed`);
    pages = requests;
    await sleep(lingerMilliseconds);
  });
  const wanted = { name: "prepareOrders", orders, bound: false } as const;
  const prepared = await one.bank.ask<PreparedOrders>(wanted);
  const port = Number(new URL(one.bank.publicUrl).port);
  const load = await readyOrderLoad({ ...prepared, port, secure: false, connections });
  const ofOrders = await cpuOf(one, async () => {
    await load.run();
    await sleep(lingerMilliseconds);
  });
  return {
    page: (ofPages.bank + ofPages.database) / pages,
    order: (ofOrders.bank + ofOrders.database) / orders,
  };
}

/**
 * Measures the CPU time of a page and of an order, of the bank and of its database together, in
 * several ways. A bank for each way, all on one server, take turns, so that what slows the machine
 * slows all of them. The engine is off. CPU times are read from /proc, so this needs Linux.
 */
export async function compareWays({ title, ways, aims, lingerMilliseconds }: Ways): Promise<void> {
  const postgres = await startPostgres({ flushes: true });
  const kept = mkdtempSync(join(tmpdir(), "aldgate-bench-"));
  const banks: ComparedBank[] = [];
  const opened: Measured[] = [];
  try {
    const seeded = `bench_ways_${process.pid}`;
    await (await openBenchBank(await postgres.createDatabase(seeded), { kept })).close();
    for (const [name, settings] of Object.entries(ways)) {
      const url = await postgres.createDatabase(`${seeded}_${opened.length}`, seeded);
      const start = () => openBenchBank(url, { seeded: kept, settings });
      const compared = await compare(name, url, start);
      banks.push(compared);
      const { accountId: _, ...page } = await readablePage(compared.bank);
      opened.push({ ...compared, pages: startLoad({ ...page, connections }) });
    }
    console.log(`\n${title}, in turns: ${rounds} rounds`);
    const run = (one: Measured) => costsOf(one, lingerMilliseconds);
    for (let warmUp = 0; warmUp < warmUps; warmUp++) for (const one of opened) await run(one);
    const results = await inTurns(opened, rounds, run, { isCold: true });
    for (const part of ["page", "order"] as const) report(part, results, aims);
  } finally {
    for (const { pages } of opened) pages.close();
    for (const { observer, bank } of banks) {
      await observer.close();
      await bank.close();
    }
    await postgres.stop();
    rmSync(kept, { recursive: true, force: true });
  }
}

/** Reports what a part costs in each way, and compares each way with the first. */
function report(part: keyof Costs, results: Map<Measured, Costs[]>, aims: Ways["aims"] = {}): void {
  const of = (costs: readonly Costs[]): number[] => costs.map((one) => one[part]);
  for (const [{ name }, costs] of results) {
    show(`CPU per ${part}, ${name}`, `${median(of(costs)).toFixed(3)} ms`);
  }
  const [without, ...others] = [...results];
  const [{ name: first }, base] = present(without, "the first way");
  for (const [{ name }, costs] of others) {
    concludeRatio(`CPU per ${part}, ${name} / ${first}`, of(base), of(costs), aims[name]);
  }
}
