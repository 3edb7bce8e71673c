import { setTimeout as wait } from "node:timers/promises";
import { startPostgres } from "#test/postgres.ts";
import { type BenchBank, openSeededBank } from "./lib/bank.ts";
import type { CpuTime } from "./lib/cpu-time.ts";
import { readyOrderLoad } from "./lib/order-load.ts";
import type { PreparedOrders } from "./lib/prepare-orders.ts";
import { conclude, isQuick, middleHalf, middleMean, show } from "./lib/report.ts";
import { inTurns } from "./lib/turns.ts";

// What event notifications cost an order up to its 201, in CPU of the bank and of the database and
// as time: with the work on events off, without a registration, and with one. The engine is off, so
// that only the order itself is measured. The bank looks for events once during a turn, and once
// after it. The elapsed time includes the first look, and the CPU time includes both. A turn takes
// less than half a second, so the bank looks more often than its usual twice a second.
//
// Three things made earlier measurements noisy, so this one avoids them:
// - How many orders share a statement depends on when they arrive. So orders come in waves.
// - The speed of the machine changes within seconds, and so do the growing tables. So turns are
//   short, and a ratio compares only the turns of two successive rounds. The second of these rounds
//   runs the ways in reverse order.
// - Some turns would include a full garbage collection. So the bank runs one before each turn, and
//   a figure is the mean of the middle half of the ratios.
//
// All ways send orders of the same TPP on the same connections. The way without events is measured
// twice, and the ratio of its two measurements is the noise of the run. Both measurements together
// are the base of the other ratios.

const connections = 32;
const turn = 8 * connections;
const turns = 26;
const rounds = isQuick ? 2 : 8;
const untilLookMs = 100;

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
  const options = { port, secure: false, connections, parts, inWaves: true };
  const load = await readyOrderLoad({ ...prepared, ...options });
  return async ({ isOff, isRegistered }) => {
    const clientId = isRegistered ? prepared.tpp.clientId : null;
    await bank.ask({ name: "subscribe", clientId, callbackUrl: null });
    await bank.ask({ name: "tickEvents" }); // reads the changes of earlier turns
    await bank.ask({ name: "collectGarbage" });
    const look = async () => void (isOff || (await bank.ask({ name: "tickEvents" })));
    const before = await cpuOf(bank);
    const looked = wait(untilLookMs).then(look);
    const { ordersPerSecond } = await load.run();
    await looked;
    await look();
    const after = await cpuOf(bank);
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

const postgres = await startPostgres({ flushes: true });
const bank = await openSeededBank("events", postgres);
console.log(`\nOrders and events: ${rounds} × ${turns} × ${turn}, ${connections} connections`);
await bank.ask({ name: "engine", on: false });
await bank.ask({ name: "events", on: false });
const costs = await measureCosts(bank);

type Part = (cost: Cost) => number;
const cpu: Part = (cost) => cost.bank + cost.database;
const elapsed: Part = (cost) => cost.elapsed;

/** Adds up the turns of a way in each pair of rounds: a round and the next, in reverse order. */
const pairsOf = (way: Way, part: Part): number[] => {
  const all = (costs.get(way) ?? []).map(part);
  return all.flatMap((one, index) => (index % 2 ? [one + (all[index - 1] ?? 0)] : []));
};

/** Returns the cost of some ways divided by that of the base, for each pair of rounds. */
function ratiosOf(some: readonly Way[], base: readonly Way[], part: Part): number[] {
  const sumsOf = (of: readonly Way[]) => {
    const pairs = of.map((way) => pairsOf(way, part));
    return (pairs[0] ?? []).map((_, at) => pairs.reduce((sum, one) => sum + (one[at] ?? 0), 0));
  };
  const below = sumsOf(base);
  return sumsOf(some).map((sum, at) => (sum * base.length) / ((below[at] ?? 0) * some.length));
}

for (const way of ways) {
  const typical = (part: Part) => (middleMean(pairsOf(way, part)) / 2).toFixed(3);
  show(
    way.name,
    `CPU of the bank ${typical((cost) => cost.bank)} ms`,
    `database ${typical((cost) => cost.database)} ms`,
    `time ${typical(elapsed)} ms`,
  );
}
for (const [name, part] of [
  ["CPU", cpu],
  ["time", elapsed],
] as const) {
  const compare = (title: string, ratios: readonly number[], aim: string): void => {
    conclude({ name: `${name} of an order, ${title}`, value: middleMean(ratios), unit: "", aim });
    const [low, high] = middleHalf(ratios);
    show(`  half of the ${ratios.length} ratios`, `${low.toFixed(2)} to ${high.toFixed(2)}`);
  };
  const noise = "the noise of this run";
  compare("without events, measured twice", ratiosOf([offAgain], [off], part), noise);
  const base = [off, offAgain];
  const limits = [
    [unregistered, "1.05"],
    [registered, "1.1"],
  ] as const;
  for (const [way, limit] of limits) {
    const title = `${way.name} / without events`;
    compare(title, ratiosOf([way], base, part), `aim: at most ${limit}`);
  }
}
await bank.close();
await postgres.stop();
