import { startPostgres } from "#test/postgres.ts";
import { type BenchBank, openBenchBank } from "./lib/bank.ts";
import type { CpuTime } from "./lib/cpu-time.ts";
import { readyOrderLoad } from "./lib/order-load.ts";
import type { PreparedOrders } from "./lib/prepare-orders.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";
import { inTurns } from "./lib/turns.ts";

// What event notifications cost an order up to its 201, in CPU of the bank and of the database and
// as a rate: with the work on events off, without a registration, and with one. The engine is off,
// so that only the order itself is measured. A rate includes the reading of the history for events,
// which goes on beside the orders; a CPU time also includes a last reading after them.

const orders = isQuick ? 800 : 2000;
const rounds = isQuick ? 8 : 16;
const connections = 32;

const ways = ["off", "no registration", "registered"] as const;
type Way = (typeof ways)[number];

async function submit(bank: BenchBank, prepared: PreparedOrders): Promise<number> {
  const port = Number(new URL(bank.publicUrl).port);
  const load = await readyOrderLoad({ ...prepared, port, secure: false, connections });
  return (await load.run()).ordersPerSecond;
}

const cpuOf = async (bank: BenchBank): Promise<number> => {
  const { process, database } = await bank.ask<CpuTime>({ name: "cpuTime" });
  return process + (database ?? 0);
};

/** Milliseconds of CPU and of elapsed time per order. */
type Cost = { cpu: number; elapsed: number };

async function costOf(bank: BenchBank, way: Way): Promise<Cost> {
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
  const rate = await submit(bank, prepared);
  if (way !== "off") await bank.ask({ name: "tickEvents" });
  const cpu = ((await cpuOf(bank)) - before) / orders;
  if (way === "off") await bank.ask({ name: "events", on: true });
  await bank.ask({ name: "subscribe", clientId: null, callbackUrl: null });
  await bank.ask({ name: "drain" });
  await bank.ask({ name: "engine", on: true });
  return { cpu, elapsed: 1000 / rate };
}

async function measureCost(bank: BenchBank): Promise<void> {
  const costs = await inTurns(ways, rounds, (way) => costOf(bank, way));
  for (const [part, name] of [
    ["cpu", "CPU"],
    ["elapsed", "time"],
  ] as const) {
    const of = (way: Way): number[] => (costs.get(way) ?? []).map((cost) => cost[part]);
    for (const way of ways) show(`${name} of an order, ${way}`, `${median(of(way)).toFixed(3)} ms`);
    for (const [way, aim] of [
      ["no registration", "1.05"],
      ["registered", "1.1"],
    ] as const) {
      const off = of("off");
      const ratios = of(way).map((cost, round) => cost / (off[round] ?? Number.NaN));
      conclude({
        name: `${name} of an order, ${way} / without events`,
        value: median(ratios),
        unit: "",
        aim: `aim: at most ${aim}`,
      });
    }
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
