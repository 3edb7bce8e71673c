import { availableParallelism } from "node:os";
import { present } from "#src/lib/assert.ts";
import { first } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { startPostgres } from "#test/postgres.ts";
import { describeStatement, type RanStatement, tally } from "#test/statements.ts";
import { type BenchBank, openSeededBank } from "./lib/bank.ts";
import type { CpuTime } from "./lib/cpu-time.ts";
import { type JourneyFloor, measureFloor } from "./lib/journey-floor.ts";
import { type JourneyLoad, readyJourneyLoad, standardHash } from "./lib/journey-load.ts";
import { prepareJourneys } from "./lib/prepare-journeys.ts";
import { conclude, isQuick, median, show } from "./lib/report.ts";

// Whole payment journeys over plain HTTP: client token, consent, authorization with login, choice
// of account and second factor, code exchange, order. The load, the bank and PostgreSQL share the
// cores. The engine is off; it executes the orders afterwards, which is measured apart. So is the
// delivery of events, which only polls, because no TPP has registered. A journey is compared with
// its unavoidable work: one password hash, four signatures and five verifications.
// The speed of a shared machine varies by a factor of two, and the time of the password hash with
// it. CPU times are therefore also given in relation to the hash.
// Most functions run once in a journey, so V8 still compiles after several hundred journeys. The
// full form measures after a short warm-up and after a long one, whose result has the aim. The
// quick form measures only after the short one, and compares the bank's CPU time with no aim.

const rounds = isQuick ? 3 : 5;
const journeysEach = isQuick ? { alone: 20, together: 64 } : { alone: 60, together: 96 };
const early = { rounds: 3, journeys: 20 };
const block = 320;
const longWarmUp = 8 * block;
const together = 8;
const counted = 10;

type Case = Pick<JourneyLoad, "concurrency" | "journeys">;
type Measured = {
  perSecond: number;
  p50: number;
  p99: number;
  /** CPU milliseconds per journey of the thread that hashes passwords. */
  hash: number;
  /** CPU milliseconds per journey of the rest of the bank. */
  bank: number;
  database: number;
  /** The same, if the hash took as long as when the aims were set. */
  scaledBank: number;
  scaledDatabase: number;
};
/** The bank's only worker thread hashes passwords. `hashing` is null if its time is unknown. */
type BankTime = CpuTime & { hashing: number | null };

/** Runs journeys and returns what one of them took. */
type RunJourneys = (wanted: Case) => Promise<Measured>;

async function runJourneys(
  bank: BenchBank,
  load: JourneyLoad,
  floor: JourneyFloor,
): Promise<Measured> {
  const ready = await readyJourneyLoad(load);
  const before = await bank.ask<BankTime>({ name: "cpuTime" });
  const { journeysPerSecond, p50, p99 } = await ready.run();
  const after = await bank.ask<BankTime>({ name: "cpuTime" });
  const hashed =
    before.hashing === null || after.hashing === null
      ? floor.hash * load.journeys
      : after.hashing - before.hashing;
  const hash = hashed / load.journeys;
  const own = (after.process - before.process - hashed) / load.journeys;
  const database = ((after.database ?? 0) - (before.database ?? 0)) / load.journeys;
  const scale = standardHash / hash;
  return {
    perSecond: journeysPerSecond,
    p50,
    p99,
    hash,
    bank: own,
    database,
    scaledBank: own * scale,
    scaledDatabase: database * scale,
  };
}

const medians = (rows: readonly Measured[]): Measured => {
  const of = (member: keyof Measured): number => median(rows.map((row) => row[member]));
  return {
    perSecond: of("perSecond"),
    p50: of("p50"),
    p99: of("p99"),
    hash: of("hash"),
    bank: of("bank"),
    database: of("database"),
    scaledBank: of("scaledBank"),
    scaledDatabase: of("scaledDatabase"),
  };
};

const showScaled = ({ scaledBank, scaledDatabase }: Measured): string[] => [
  `at a hash of ${standardHash} ms: bank ${scaledBank.toFixed(1)} ms`,
  `database ${scaledDatabase.toFixed(1)} ms`,
];

async function measure(run: RunJourneys, wanted: Case, times = rounds): Promise<Measured> {
  const done: Measured[] = [];
  for (let round = 0; round < times; round++) done.push(await run(wanted));
  const middle = medians(done);
  show(
    `${wanted.concurrency} at a time`,
    `${middle.perSecond.toFixed(1)} journeys/s`,
    `p50 ${middle.p50.toFixed(0)} ms`,
    `p99 ${middle.p99.toFixed(0)} ms`,
  );
  show(
    "  CPU per journey",
    `hash ${middle.hash.toFixed(1)} ms`,
    `bank without hash ${middle.bank.toFixed(1)} ms`,
    `database ${middle.database.toFixed(1)} ms`,
  );
  show("", ...showScaled(middle));
  return middle;
}

/** Measures how the engine executes the orders of all journeys so far: one for each journey. */
async function executeOrders(bank: BenchBank, orders: number): Promise<void> {
  const before = await bank.ask<BankTime>({ name: "cpuTime" });
  await bank.ask({ name: "drain" });
  const after = await bank.ask<BankTime>({ name: "cpuTime" });
  show(
    "\nCPU of the engine per order, not in a journey's",
    `${orders} orders`,
    `bank ${((after.process - before.process) / orders).toFixed(2)} ms`,
    `database ${(((after.database ?? 0) - (before.database ?? 0)) / orders).toFixed(2)} ms`,
  );
}

/**
 * Counts the statements of journeys, run one at a time, and their commits: every transaction that
 * writes takes a transaction number.
 */
async function countStatements(bank: BenchBank, load: JourneyLoad, url: string): Promise<void> {
  const observer = await openPostgres(url, 1);
  const numbers = async (): Promise<number> => {
    const query = sql`select pg_snapshot_xmax(pg_current_snapshot())::text::integer as next`;
    return (await first<{ next: number }>(observer, query))?.next ?? Number.NaN;
  };
  const ready = await readyJourneyLoad({ ...load, concurrency: 1, journeys: counted });
  const before = await numbers();
  await bank.ask({ name: "startRecord" });
  await ready.run();
  const ran = await bank.ask<RanStatement[]>({ name: "stopRecord" });
  const commits = ((await numbers()) - before) / counted;
  await observer.close();
  const requests = [...new Set(ran.map(({ request }) => request))];
  const each = requests.length / counted;
  const isFirst = ({ request }: RanStatement) => Number.parseInt(request, 10) <= each;
  console.log(`\nStatements of the first of ${counted} journeys, by request:`);
  for (const request of requests.filter((name) => Number.parseInt(name, 10) <= each)) {
    const own = ran.filter((one) => one.request === request);
    console.log(`${String(own.length).padStart(5)}  ${request}`);
  }
  console.log("by kind:");
  console.log(tally(ran.filter(isFirst).map(({ text }) => describeStatement(text))));
  show(
    "\nper journey",
    `${(ran.length / counted).toFixed(1)} statements`,
    `${commits.toFixed(1)} commits that write`,
  );
  conclude({
    name: "statements per payment journey",
    value: ran.length / counted,
    unit: "",
    aim: "aim: at most 60",
  });
}

const postgres = await startPostgres({ flushes: true });
const bank = await openSeededBank("journeys", postgres);
await bank.ask({ name: "engine", on: false });
await bank.ask({ name: "events", on: false });
const load = await prepareJourneys(bank);
const cases = {
  alone: { concurrency: 1, journeys: journeysEach.alone },
  together: { concurrency: together, journeys: journeysEach.together },
} as const satisfies Record<string, Case>;
console.log(`\nPayment journeys on PostgreSQL: ${rounds} rounds`);
const floor = await measureFloor(isQuick ? 20 : 60);
const least = floor.hash + floor.signing + floor.verifying;
show(
  "floor: CPU of what a journey cannot do without",
  `hash ${floor.hash.toFixed(1)} ms`,
  `signatures ${floor.signing.toFixed(2)} ms`,
  `verifications ${floor.verifying.toFixed(2)} ms`,
);
let journeys = 0;
const run: RunJourneys = (wanted) => {
  journeys += wanted.journeys;
  return runJourneys(bank, { ...load, ...wanted }, floor);
};
const warmUp = { concurrency: together, journeys: block };
await run(warmUp);
console.log(`\nAfter ${journeys} journeys, while V8 still compiles:`);
const soon = await measure(run, { concurrency: 1, journeys: early.journeys }, early.rounds);
let alone = soon;
let warmed = journeys;
if (!isQuick) {
  console.log(`\nWarm-up, ${together} at a time:`);
  while (journeys < longWarmUp) {
    const done = await run(warmUp);
    show(`after ${journeys} journeys`, ...showScaled(done));
  }
  warmed = journeys;
  console.log(`\nAfter ${warmed} journeys:`);
  alone = await measure(run, cases.alone);
}
const parallel = await measure(run, cases.together);
await countStatements(bank, { ...load, ...cases.alone }, present(bank.databaseUrl, "the URL"));
await executeOrders(bank, journeys + counted);
console.log(
  "\nA processor can be fast at the hash and slow at a journey. Compare journeys alone with",
);
console.log(
  "`npm run bench -- journeys-against=c130671`: the aims are shares of that commit's times.",
);
const bankName = `CPU of the bank per journey above the hash, if that took ${standardHash} ms`;
conclude({
  name: `${bankName}, after ${block} journeys`,
  value: soon.scaledBank,
  unit: "ms",
  aim: "no aim: V8 still compiles",
});
if (!isQuick) {
  conclude({
    name: `${bankName}, after ${warmed} journeys`,
    value: alone.scaledBank,
    unit: "ms",
    aim: "aim: at most 12",
  });
}
conclude({
  name: `CPU of the database per journey, if the hash took ${standardHash} ms`,
  value: alone.scaledDatabase,
  unit: "ms",
  aim: "aim: at most 6",
});
const possible = (availableParallelism() * 1000) / least;
conclude({
  name: `journeys, ${together} at a time / rate of the floor on all cores`,
  value: parallel.perSecond / possible,
  unit: "",
  aim: "no aim",
});
await bank.close();
await postgres.stop();
