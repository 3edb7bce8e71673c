import { startPostgres } from "#test/postgres.ts";
import { type BenchBank, openBenchBank } from "./lib/bank.ts";
import type { CpuTime } from "./lib/cpu-time.ts";
import { readyOrderLoad } from "./lib/order-load.ts";
import type { PreparedOrders } from "./lib/prepare-orders.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";
import { inTurns } from "./lib/turns.ts";

// Whole signed VRP orders under many consents, and under one, against domestic orders with one
// consent each. The engine is off, as in signed-order.ts. Every order is checked against the limits
// of a week and of a year. All orders of a round have the same day, and those under one consent the
// same periods.

const orders = isQuick ? 1000 : 3000;
const rounds = isQuick ? 6 : 8;
const manyConsents = 500;
const connections = 32;

type Way = { name: string; vrpConsents?: number };

const domestic: Way = { name: "domestic orders" };
const many: Way = { name: `VRP orders, ${manyConsents} consents`, vrpConsents: manyConsents };
const one: Way = { name: "VRP orders, one consent", vrpConsents: 1 };

/** Milliseconds are CPU time per order. */
type Measured = { ordersPerSecond: number; bank: number; database: number };

async function measure(bank: BenchBank, { vrpConsents }: Way): Promise<Measured> {
  const prepared = await bank.ask<PreparedOrders>({
    name: "prepareOrders",
    orders,
    bound: false,
    ...(vrpConsents === undefined ? {} : { vrpConsents }),
  });
  const port = Number(new URL(bank.publicUrl).port);
  const load = await readyOrderLoad({ ...prepared, port, secure: false, connections });
  await bank.ask({ name: "engine", on: false });
  const before = await bank.ask<CpuTime>({ name: "cpuTime" });
  const { ordersPerSecond } = await load.run();
  const after = await bank.ask<CpuTime>({ name: "cpuTime" });
  await bank.ask({ name: "drain" });
  await bank.ask({ name: "engine", on: true });
  return {
    ordersPerSecond,
    bank: (after.process - before.process) / orders,
    database: ((after.database ?? 0) - (before.database ?? 0)) / orders,
  };
}

const postgres = await startPostgres();
const bank = await openBenchBank(
  await postgres.createDatabase(`bench_limits_${process.pid}`, process.env.BENCH_SEEDED_DATABASE),
  { seeded: process.env.BENCH_SEEDED_FOLDER },
);
console.log(`\nOrders within limits: ${rounds} × ${orders}, ${connections} connections`);
const done = await inTurns([domestic, many, one], rounds, (way) => measure(bank, way));
const resultsOf = (way: Way): Measured[] => done.get(way) ?? [];
for (const way of done.keys()) {
  const middle = (pick: (result: Measured) => number) => median(resultsOf(way).map(pick));
  show(
    way.name,
    `${middle(({ ordersPerSecond }) => ordersPerSecond).toFixed(0)} orders/s`,
    `CPU of the bank ${middle((result) => result.bank).toFixed(3)} ms`,
    `database ${middle(({ database }) => database).toFixed(3)} ms`,
  );
}
const ratio = (way: Way, pick: (result: Measured) => number): number =>
  median(
    resultsOf(way).map((result, round) => {
      const base = resultsOf(domestic)[round];
      return pick(result) / (base ? pick(base) : Number.NaN);
    }),
  );
const cpuOf = ({ bank: own, database }: Measured): number => own + database;
for (const way of [many, one]) {
  const aim = way === many ? "aim: at least 0.9" : "no aim";
  const rate = ratio(way, ({ ordersPerSecond }) => ordersPerSecond);
  conclude({ name: `${way.name} / domestic orders, rate`, value: rate, unit: "", aim });
  const cpu = ratio(way, cpuOf);
  conclude({ name: `${way.name} / domestic orders, CPU`, value: cpu, unit: "", aim: "no aim" });
}
await bank.close();
await postgres.stop();
