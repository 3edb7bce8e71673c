import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { promote, waitForStandby } from "#test/attacks/postgres-server.ts";
import { prepareHostileTpp } from "#test/attacks/work-budget.ts";
import { countAllOrders } from "#test/payments/stored-orders.ts";
import { type Arrived, arrivals, type OpenLoadResult, type Rates } from "./lib/open-load.ts";
import { type Cpu, type OpenWorld, openWorld } from "./lib/open-world.ts";
import { concludeCosts } from "./lib/quarter.ts";
import { conclude, isQuick, show } from "./lib/report.ts";

// Requests arrive at a fixed rate, whether or not the bank keeps up, and their times count from the
// intended start. First, for one process and for one per core, the highest rate is found at which
// 99 % of the reads are answered within the limit. Then the rate that a mark asks for, scaled to
// the cores there are. At last, at half the highest rate and with a production bank's limits for
// callers: undisturbed, beside a hostile TPP, while the primary is lost and while a process is
// killed. PostgreSQL, the banks and the load share the machine's cores.

const cores = availableParallelism();
const size = { accounts: isQuick ? 2_000 : 10_000, entries: 100, connections: 50 };
const limitMilliseconds = 200;
const [warmUpSeconds, seconds] = isQuick ? [1, 3] : [2, 8];
const faultSeconds = isQuick ? 12 : 20;
const refinements = isQuick ? 1 : 3;
const lowest = 200;

/** What arrives for each call to the account APIs, as the page of the results derives it. */
type Mix = { name: string; refreshes: number; payments: number; ordersAlone: number };
const reads: Mix = { name: "account calls", refreshes: 0.05, payments: 0, ordersAlone: 0 };
// 2,500 calls and 90 payments with their journeys; of all payments, 16 % have no journey
const peak: Mix = {
  name: "the peak's mix",
  refreshes: 0.05,
  payments: 90 / 2500,
  ordersAlone: ((90 / 2500) * 16) / 84,
};

/** The marks, for a machine with so many cores. */
const marks = [
  { mix: reads, calls: 6000, cores: 4, p99: limitMilliseconds },
  { mix: peak, calls: 2500, cores: 4, p99: 100 },
];

/** The limits of a production bank, which protect it from a single caller. */
const production = {
  LOG_LEVEL: "silent", // without the errors that the faults cause
  RATE_LIMIT_PER_SECOND: "100",
  RATE_LIMIT_PER_CALLER: "300",
  BYTES_PER_SECOND: "1048576",
  REQUESTS_IN_PROGRESS: "100",
  LATE_AFTER_MILLISECONDS: "50",
};

const ratesOf = (mix: Mix, calls: number): Rates => ({
  reads: calls * (1 - mix.refreshes),
  refreshes: calls * mix.refreshes,
  journeys: calls * mix.payments,
  orders: calls * mix.ordersAlone,
});

const countOf = (result: OpenLoadResult, part: "answered" | "failed"): number =>
  arrivals.reduce((sum, kind) => sum + result[kind][part], 0);

const keepsUp = (result: OpenLoadResult): boolean =>
  result.reads.p99 <= limitMilliseconds &&
  result.unanswered === 0 &&
  countOf(result, "failed") === 0;

function showResult(name: string, result: OpenLoadResult, also: readonly string[] = []): void {
  const timesOf = ({ p50, p99 }: Arrived) => `${p50.toFixed(0)}, ${p99.toFixed(0)} ms`;
  const ran = arrivals.filter((kind) => result[kind].answered > 0);
  show(name, ...ran.map((kind) => `${kind} ${timesOf(result[kind])}`), ...also);
  const failures = countOf(result, "failed");
  const reason = arrivals.map((kind) => result[kind].firstFailure).find((text) => text !== null);
  if (failures > 0) console.log(`  ${failures} failed, the first: ${reason}`);
  if (result.unanswered > 0) console.log(`  ${result.unanswered} were not answered`);
}

/** A run at a rate, with the CPU seconds that each second of it has used. */
type Measured = { calls: number; result: OpenLoadResult; cpu: Cpu };

async function runAt(world: OpenWorld, mix: Mix, calls: number): Promise<Measured> {
  const before = await world.cpu();
  const startedAt = performance.now();
  const result = await world.load().run({ ...ratesOf(mix, calls), warmUpSeconds, seconds });
  const after = await world.cpu();
  const took = Math.max(warmUpSeconds + seconds, (performance.now() - startedAt) / 1000);
  const each = (part: keyof Cpu) => (after[part] - before[part]) / took;
  const cpu = { bank: each("bank"), database: each("database") };
  const used = `CPU ${cpu.bank.toFixed(2)} + ${cpu.database.toFixed(2)}`;
  const own = `load ${(result.cpuSeconds / took).toFixed(2)}`;
  const where = `${world.banks().length} × bank, ${mix.name}, ${calls.toFixed(0)} calls/s`;
  showResult(where, result, [used, own]);
  await delay(1000);
  return { calls, result, cpu };
}

/** Finds the highest rate of calls that the bank keeps up with. */
async function findHighest(world: OpenWorld, mix: Mix): Promise<Measured | null> {
  let best: Measured | null = null;
  let tooMany = Number.POSITIVE_INFINITY;
  const tryRate = async (calls: number): Promise<void> => {
    const measured = await runAt(world, mix, calls);
    if (keepsUp(measured.result)) best = measured;
    else tooMany = calls;
  };
  for (let calls = lowest; tooMany === Number.POSITIVE_INFINITY; calls *= 2) await tryRate(calls);
  // assigned by tryRate
  const reached = () => (best as Measured | null)?.calls ?? 0;
  for (let n = 0; n < refinements; n += 1) await tryRate((reached() + tooMany) / 2);
  return best;
}

/** What happens while requests arrive. The last row leaves one process less. */
type Fault = {
  name: string;
  /** Prepares it. The result strikes a third into the run, and ends when the fault is over. */
  prepare(world: OpenWorld): Promise<() => Promise<unknown>>;
};

const takesOverAfter = 2000;

const faults: readonly Fault[] = [
  { name: "undisturbed", prepare: async () => async () => undefined },
  {
    name: "beside a hostile TPP at full rate",
    prepare: (world) => prepareHostileTpp(address(world), (faultSeconds * 2) / 3),
  },
  {
    name: "the primary is lost, a standby is promoted after 2 s",
    prepare: async (world) => async () => {
      await world.primary().kill();
      await delay(takesOverAfter);
      await promote(world.standby());
    },
  },
  {
    name: "a process is killed",
    prepare: async (world) => async () => world.banks().at(-1)?.kill(),
  },
];

function address(world: OpenWorld): { publicUrl: string; mtlsUrl: string } {
  const [bank] = world.banks();
  if (!bank) throw new Error("the world has no bank");
  return bank;
}

async function strike(world: OpenWorld, fault: Fault, calls: number): Promise<void> {
  const strikeNow = await fault.prepare(world);
  const before = await countOrders(world);
  const received = world.receiver.received.length;
  const rates = ratesOf(peak, calls);
  const running = world.load().run({ ...rates, warmUpSeconds, seconds: faultSeconds });
  await delay((warmUpSeconds + faultSeconds / 3) * 1000);
  const striking = strikeNow();
  const result = await running;
  await striking;
  const lost = Math.max(0, result.acknowledged - ((await countOrders(world)) - before));
  const waiting = await untilDelivered(world);
  const events = world.receiver.received.length - received;
  const silence = `longest silence ${result.reads.silence.toFixed(0)} ms`;
  showResult(fault.name, result, [silence, `${events} events delivered, ${waiting} wait`]);
  const failed = countOf(result, "failed") + result.unanswered;
  const share = (100 * failed) / (failed + countOf(result, "answered"));
  const of = `p99 ${result.reads.p99.toFixed(0)} ms, ${failed} failed, ${silence}`;
  conclude({ name: `${fault.name}: failed`, value: share, unit: "%", aim: of });
  const orders = `of ${result.acknowledged} acknowledged`;
  conclude({ name: `${fault.name}: orders lost`, value: lost, unit: "", aim: orders });
}

async function countOrders(world: OpenWorld): Promise<number> {
  const database = await world.database();
  const count = await countAllOrders(database);
  await database.close();
  return count;
}

/** Waits until the events are delivered. Returns how many wait even then. */
async function untilDelivered(world: OpenWorld): Promise<number> {
  const database = await world.database();
  const waiting = async (): Promise<number> => {
    const row = await first<{ count: number }>(
      database,
      sql`select count(*)::integer as count from event where state = 'waiting'`,
    );
    return row?.count ?? Number.NaN;
  };
  let left = await waiting();
  for (let tried = 0; left > 0 && tried < 40; tried += 1) {
    await delay(250);
    left = await waiting();
  }
  await database.close();
  return left;
}

function concludeHighest(processes: number, { name }: Mix, found: Measured | null): void {
  const of = `${name}, ${processes === 1 ? "1 process" : `${processes} processes`}`;
  const { p50 = Number.NaN, p99 = Number.NaN } = found?.result.reads ?? {};
  const at = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;
  const { calls, cpu } = found ?? { calls: 0, cpu: null };
  const perSecond = cpu ? calls / (cpu.bank + cpu.database) : Number.NaN;
  conclude({ name: `calls/s, ${of}`, value: calls, unit: "", aim: at });
  const aim = "bank and database; no aim";
  conclude({ name: `calls for each core second, ${of}`, value: perSecond, unit: "", aim });
}

console.log(`\nArrivals at a fixed rate, ${cores} cores shared by bank, database and load`);
const world = await openWorld(size);
try {
  const highest = new Map<Mix, Measured>();
  for (const processes of new Set([1, cores])) {
    await world.start(processes);
    for (const mix of [reads, peak]) {
      const found = await findHighest(world, mix);
      concludeHighest(processes, mix, found);
      if (found) highest.set(mix, found);
    }
  }
  for (const { mix, calls, cores: of, p99 } of marks) {
    const { result } = await runAt(world, mix, (calls * cores) / of);
    const failed = countOf(result, "failed") + result.unanswered;
    conclude({
      name: `p99, ${mix.name}, ${calls} × ${cores}/${of} calls/s`,
      value: result.reads.p99,
      unit: "ms",
      aim: `aim: below ${p99} ms on ${of} cores; ${failed} failed`,
    });
  }
  const [alone, mixed] = [highest.get(reads), highest.get(peak)];
  // on a machine that is busy with other work, no rate may be reached
  if (alone && mixed) concludeCosts(alone, mixed);
  await world.addStandby();
  await waitForStandby(world.primary());
  await world.start(Math.max(2, cores), production);
  for (const fault of faults) await strike(world, fault, (mixed?.calls ?? lowest / 4) / 2);
} finally {
  await world.close();
}
