import { startPostgres } from "#test/postgres.ts";
import { type BenchBank, openBenchBank } from "./lib/bank.ts";
import type { CpuTime } from "./lib/cpu-time.ts";
import { readyOrderLoad } from "./lib/order-load.ts";
import type { PreparedOrders } from "./lib/prepare-orders.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";

// What event notifications cost an order, in CPU of the bank and of the database up to its 201:
// with the work on events off, without a registration, and with one. The engine is off, so that
// only the order itself is measured.

const orders = isQuick ? 600 : 2000;
const rounds = isQuick ? 3 : 5;
const connections = 32;

const ways = ["off", "no registration", "registered"] as const;

async function submit(bank: BenchBank, { tpp, consents }: PreparedOrders): Promise<void> {
  const port = Number(new URL(bank.publicUrl).port);
  const load = await readyOrderLoad({ tpp, consents, port, secure: false, connections });
  await load.run();
}

const cpuOf = async (bank: BenchBank): Promise<number> => {
  const { process, database } = await bank.ask<CpuTime>({ name: "cpuTime" });
  return process + (database ?? 0);
};

async function costOf(bank: BenchBank, way: (typeof ways)[number]): Promise<number> {
  const prepared = await bank.ask<PreparedOrders>({ name: "prepareOrders", orders, bound: false });
  const { clientId } = prepared.tpp;
  // what the preparation has changed is read before
  await bank.ask({ name: "subscribe", clientId: null, callbackUrl: null });
  await bank.ask({ name: "tickEvents" });
  const registered = way === "registered" ? clientId : null;
  await bank.ask({ name: "subscribe", clientId: registered, callbackUrl: null });
  await bank.ask({ name: "engine", on: false });
  if (way === "off") await bank.ask({ name: "events", on: false });
  const before = await cpuOf(bank);
  await submit(bank, prepared);
  if (way !== "off") await bank.ask({ name: "tickEvents" });
  const cost = ((await cpuOf(bank)) - before) / orders;
  if (way === "off") await bank.ask({ name: "events", on: true });
  await bank.ask({ name: "subscribe", clientId: null, callbackUrl: null });
  await bank.ask({ name: "drain" });
  await bank.ask({ name: "engine", on: true });
  return cost;
}

async function measureCost(bank: BenchBank): Promise<void> {
  for (const way of ways) await costOf(bank, way); // until the code is compiled
  const costs = new Map<string, number[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < rounds; round++) {
    for (const way of ways) costs.get(way)?.push(await costOf(bank, way));
  }
  const middle = (way: string): number => median(costs.get(way) ?? []);
  for (const way of ways) show(`CPU of an order, ${way}`, `${middle(way).toFixed(3)} ms`);
  for (const [way, aim] of [
    ["no registration", "1.05"],
    ["registered", "1.1"],
  ] as const) {
    const ratios = (costs.get(way) ?? []).map((cost, round) => {
      return cost / (costs.get("off")?.[round] ?? Number.NaN);
    });
    conclude({
      name: `CPU of an order, ${way} / without events`,
      value: median(ratios),
      unit: "",
      aim: `aim: at most ${aim}`,
    });
  }
}

const postgres = await startPostgres();
const bank = await openBenchBank(
  await postgres.createDatabase(`bench_events_${process.pid}`, process.env.BENCH_SEEDED_DATABASE),
  { seeded: process.env.BENCH_SEEDED_FOLDER },
);
await measureCost(bank);
await bank.close();
await postgres.stop();
