import { setTimeout as wait } from "node:timers/promises";
import { startPostgres } from "#test/postgres.ts";
import { type BenchBank, openBenchBank } from "./lib/bank.ts";
import type { CpuTime } from "./lib/cpu-time.ts";
import { readyOrderLoad } from "./lib/order-load.ts";
import type { PreparedOrders } from "./lib/prepare-orders.ts";
import { conclude, isQuick, middleHalf, show } from "./lib/report.ts";
import { inTurns } from "./lib/turns.ts";

// What event notifications cost an order up to its 201, in CPU of the bank and of the database and
// as time: with the work on events off, without a registration, and with one. The engine is off, so
// that only the order itself is measured. A time includes the readings of the history that happen
// beside the orders; a CPU time also includes a last reading after each turn.
//
// The ways take turns of about half a second. A single turn varies by a tenth and more, because the
// number of orders in a statement depends on when they arrive. So a figure is that of all turns
// together. All ways send orders of the same TPP on the same connections, because the orders of
// some connections share statements better than those of others. The work off is measured twice, as
// if it were two ways: their ratio is the noise of the run. Both together are the base of the other
// ratios.

const turn = 600;
const turns = 8;
const rounds = isQuick ? 2 : 8;
const connections = 32;
// the bank looks for events twice a second, and for the first time after half a second
const untilLoadMs = 250;

type Way = { name: string; isOff?: boolean; isRegistered?: boolean };

const off: Way = { name: "without events", isOff: true };
const offAgain: Way = { name: "without events, again", isOff: true };
const unregistered: Way = { name: "no registration" };
const registered: Way = { name: "registered", isRegistered: true };
const ways: readonly Way[] = [off, offAgain, unregistered, registered];

/** Milliseconds per order: CPU of the bank and of the database, and elapsed time. */
type Cost = { bank: number; database: number; elapsed: number };

const cpuOf = (bank: BenchBank): Promise<CpuTime> => bank.ask<CpuTime>({ name: "cpuTime" });

/** Prepares and signs the orders of a round, and returns what measures a turn of a way. */
async function readyRound(bank: BenchBank): Promise<(way: Way) => Promise<Cost>> {
  const parts = (turns + 1) * ways.length; // each way warms up for a turn
  const orders = parts * turn;
  const prepared = await bank.ask<PreparedOrders>({ name: "prepareOrders", orders, bound: false });
  const port = Number(new URL(bank.publicUrl).port);
  const load = await readyOrderLoad({ ...prepared, port, secure: false, connections, parts });
  return async ({ isOff, isRegistered }) => {
    const clientId = isRegistered ? prepared.tpp.clientId : null;
    await bank.ask({ name: "subscribe", clientId, callbackUrl: null });
    await bank.ask({ name: "tickEvents" }); // reads the changes of earlier turns
    if (!isOff) await bank.ask({ name: "events", on: true });
    await wait(untilLoadMs);
    const before = await cpuOf(bank);
    const { ordersPerSecond } = await load.run();
    if (!isOff) await bank.ask({ name: "tickEvents" });
    const after = await cpuOf(bank);
    await bank.ask({ name: "events", on: false });
    return {
      bank: (after.process - before.process) / turn,
      database: ((after.database ?? 0) - (before.database ?? 0)) / turn,
      elapsed: 1000 / ordersPerSecond,
    };
  };
}

async function measureCosts(bank: BenchBank): Promise<Map<Way, Cost[]>> {
  const costs = new Map<Way, Cost[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < rounds; round++) {
    const done = await inTurns(ways, turns, await readyRound(bank));
    for (const [way, some] of done) costs.get(way)?.push(...some);
  }
  return costs;
}

const postgres = await startPostgres();
const bank = await openBenchBank(
  await postgres.createDatabase(`bench_events_${process.pid}`, process.env.BENCH_SEEDED_DATABASE),
  { seeded: process.env.BENCH_SEEDED_FOLDER },
);
console.log(`\nOrders and events: ${rounds} × ${turns} × ${turn}, ${connections} connections`);
await bank.ask({ name: "engine", on: false });
await bank.ask({ name: "events", on: false });
const costs = await measureCosts(bank);

const cpu = (cost: Cost): number => cost.bank + cost.database;
const elapsed = (cost: Cost): number => cost.elapsed;
const meanOf = (some: readonly Way[], part: (cost: Cost) => number): number => {
  const all = some.flatMap((way) => costs.get(way) ?? []).map(part);
  return all.reduce((sum, one) => sum + one, 0) / all.length;
};

for (const way of ways) {
  show(
    way.name,
    `CPU of the bank ${meanOf([way], (cost) => cost.bank).toFixed(3)} ms`,
    `database ${meanOf([way], (cost) => cost.database).toFixed(3)} ms`,
    `time ${meanOf([way], elapsed).toFixed(3)} ms`,
  );
}
for (const [name, part] of [
  ["CPU", cpu],
  ["time", elapsed],
] as const) {
  conclude({
    name: `${name} of an order, without events, measured twice`,
    value: meanOf([offAgain], part) / meanOf([off], part),
    unit: "",
    aim: "the noise of this run",
  });
  for (const [way, aim] of [
    [unregistered, "1.05"],
    [registered, "1.1"],
  ] as const) {
    const base = meanOf([off, offAgain], part);
    conclude({
      name: `${name} of an order, ${way.name} / without events`,
      value: meanOf([way], part) / base,
      unit: "",
      aim: `aim: at most ${aim}`,
    });
    const single = (costs.get(way) ?? []).map((cost) => part(cost) / base);
    const [low, high] = middleHalf(single);
    show("  half of the single turns", `${low.toFixed(2)} to ${high.toFixed(2)}`);
  }
}
await bank.close();
await postgres.stop();
