import { present } from "#src/lib/assert.ts";
import { startPostgres } from "#test/postgres.ts";
import { type BenchBank, openSeededBank } from "./lib/bank.ts";
import type { CpuTime } from "./lib/cpu-time.ts";
import { readyOrderLoad } from "./lib/order-load.ts";
import type { PreparedOrders } from "./lib/prepare-orders.ts";
import { conclude, isQuick, middleHalf, show } from "./lib/report.ts";
import { inTurns } from "./lib/turns.ts";

// Whole signed VRP orders under many consents, and under one, against domestic orders with one
// consent each. The engine is off, as in signed-order.ts. Every order is checked against the limits
// of a week and of a year. All orders of a round have the same day, and those under one consent the
// same periods. The orders of a round are signed before the first is sent. The three ways then take
// turns of a fraction of a second, so that what slows the machine for a while slows all of them. A
// single turn varies by a tenth and more, because orders share statements, and the number of orders
// in a statement depends on when they arrive. So a rate is that of all turns together. The engine
// executes nothing between the rounds, because cleaning up after it would slow only some turns.

const turn = 250;
const turns = 18;
const rounds = isQuick ? 2 : 8;
const manyConsents = 500;
const connections = 32;

type Way = { name: string; vrpConsents?: number };

const domestic: Way = { name: "domestic orders" };
const many: Way = { name: `VRP orders, ${manyConsents} consents`, vrpConsents: manyConsents };
const one: Way = { name: "VRP orders, one consent", vrpConsents: 1 };
const ways: readonly Way[] = [domestic, many, one];

/** Milliseconds are CPU time per order. */
type Measured = { ordersPerSecond: number; bank: number; database: number };

async function readyTurns(
  bank: BenchBank,
  { vrpConsents }: Way,
  parts: number,
): Promise<() => Promise<Measured>> {
  const prepared = await bank.ask<PreparedOrders>({
    name: "prepareOrders",
    orders: parts * turn,
    bound: false,
    ...(vrpConsents === undefined ? {} : { vrpConsents }),
  });
  const port = Number(new URL(bank.publicUrl).port);
  const load = await readyOrderLoad({ ...prepared, port, secure: false, connections, parts });
  return async () => {
    const before = await bank.ask<CpuTime>({ name: "cpuTime" });
    const { ordersPerSecond } = await load.run();
    const after = await bank.ask<CpuTime>({ name: "cpuTime" });
    return {
      ordersPerSecond,
      bank: (after.process - before.process) / turn,
      database: ((after.database ?? 0) - (before.database ?? 0)) / turn,
    };
  };
}

async function measureRound(bank: BenchBank): Promise<Map<Way, Measured[]>> {
  const ready = new Map<Way, () => Promise<Measured>>();
  for (const way of ways) ready.set(way, await readyTurns(bank, way, turns + 1));
  return inTurns(ways, turns, (way) => present(ready.get(way), "a load")());
}

const postgres = await startPostgres({ flushes: true });
const bank = await openSeededBank("limits", postgres);
console.log(`\nOrders within limits: ${rounds} × ${turns} × ${turn}, ${connections} connections`);
await bank.ask({ name: "engine", on: false });
await measureRound(bank); // a shorter warm-up leaves VRP code that is not compiled yet
const done = new Map<Way, Measured[]>(ways.map((way) => [way, []]));
for (let round = 0; round < rounds; round++) {
  for (const [way, results] of await measureRound(bank)) done.get(way)?.push(...results);
}
const resultsOf = (way: Way): Measured[] => done.get(way) ?? [];

/** The means over all orders of a way: all its orders took their number divided by the rate. */
function meansOf(way: Way): Measured {
  const results = resultsOf(way);
  const mean = (pick: (result: Measured) => number) =>
    results.reduce((sum, result) => sum + pick(result), 0) / results.length;
  return {
    ordersPerSecond: 1 / mean(({ ordersPerSecond }) => 1 / ordersPerSecond),
    bank: mean((result) => result.bank),
    database: mean(({ database }) => database),
  };
}

const base = meansOf(domestic);
for (const way of ways) {
  const { ordersPerSecond, bank: own, database } = meansOf(way);
  show(
    way.name,
    `${ordersPerSecond.toFixed(0)} orders/s`,
    `CPU of the bank ${own.toFixed(3)} ms`,
    `database ${database.toFixed(3)} ms`,
  );
}
for (const way of [many, one]) {
  const aim = way === many ? "aim: at least 0.9" : "no aim";
  const name = `${way.name} / domestic orders`;
  const { ordersPerSecond, bank: own, database } = meansOf(way);
  conclude({ name: `${name}, rate`, value: ordersPerSecond / base.ordersPerSecond, unit: "", aim });
  const neighbours = resultsOf(way).map((result, index) => {
    const { ordersPerSecond: other } = present(resultsOf(domestic)[index], "a turn");
    return result.ordersPerSecond / other;
  });
  const [low, high] = middleHalf(neighbours);
  show("  half of the single turns", `${low.toFixed(2)} to ${high.toFixed(2)}`);
  const cpu = (own + database) / (base.bank + base.database);
  conclude({ name: `${name}, CPU`, value: cpu, unit: "", aim: "no aim" });
}
await bank.close();
await postgres.stop();
