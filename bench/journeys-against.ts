import {
  beforeRedesign,
  type ComparedBank,
  concludeRatio,
  cpuOf,
  namedCommit,
  openBanks,
  type UsedCpu,
} from "./lib/against.ts";
import { type JourneyLoad, type JourneyLoadResult, standardHash } from "./lib/journey-load.ts";
import { prepareJourneys } from "./lib/prepare-journeys.ts";
import { type ReadyLoad, readyLoad } from "./lib/ready-load.ts";
import { isQuick, median, show } from "./lib/report.ts";
import { inTurns } from "./lib/turns.ts";

// `npm run bench -- journeys-against=COMMIT` compares the CPU time of whole payment journeys, one
// at a time, of this code and of an earlier commit. The two take turns on one PostgreSQL server.
// Times depend on the machine and its load, which affects both, so their ratio stays comparable.
// Times are read from /proc, so this needs Linux. The commit must be c130671 or later.

const commit = namedCommit();
const rounds = isQuick ? 20 : 200;
const warmUps = isQuick ? 1 : 6;
const each = 5;
const block = { concurrency: 8, journeys: 320 };
const aims: Partial<Record<string, Record<"bank" | "database", string>>> = {
  // 12 of 21 ms, and 6 of 11 ms
  [beforeRedesign]: { bank: "aim: at most 0.571", database: "aim: at most 0.545" },
};

type Way = ComparedBank & { ready(wanted: Wanted): Promise<ReadyLoad<JourneyLoadResult>> };
type Measured = ComparedBank & { load: ReadyLoad<JourneyLoadResult> };
type Wanted = Pick<JourneyLoad, "concurrency" | "journeys" | "parts">;

async function prepare(one: ComparedBank, loadProcess: string): Promise<Way> {
  const load = await prepareJourneys(one.bank);
  return { ...one, ready: (wanted) => readyLoad(loadProcess, "journeys", { ...load, ...wanted }) };
}

/** Returns the CPU time per journey. */
async function run(one: Measured): Promise<UsedCpu> {
  const { hash, bank, database } = await cpuOf(one, one.load.run);
  return { hash: hash / each, bank: bank / each, database: database / each };
}

const { earlier, current, loadProcess, close } = await openBanks(commit);
try {
  const ways = [
    await prepare(earlier, loadProcess),
    await prepare(current, "./journey-load-process.ts"),
  ];
  console.log(`\nPayment journeys of ${commit} and of this code, in turns: ${rounds} rounds`);
  for (let warmUp = 0; warmUp < warmUps; warmUp++) {
    for (const way of ways) await (await way.ready(block)).run();
    console.log(`  warmed up with ${(warmUp + 1) * block.journeys} journeys`);
  }
  // the first part of each load is not measured, because a new process uses more of the caches
  const wanted = { concurrency: 1, journeys: (rounds + 1) * each, parts: rounds + 1 };
  const measured: Measured[] = [];
  for (const way of ways) measured.push({ ...way, load: await way.ready(wanted) });
  const results = await inTurns(measured, rounds, run);
  for (const [{ name }, times] of results) {
    const of = (value: (one: UsedCpu) => number) => `${median(times.map(value)).toFixed(1)} ms`;
    show(
      `CPU per journey, ${name}`,
      `hash ${of(({ hash }) => hash)}`,
      `bank without hash ${of(({ bank }) => bank)}`,
      `database ${of(({ database }) => database)}`,
    );
    show(
      `  at a hash of ${standardHash} ms`,
      `bank ${of(({ bank, hash }) => (bank * standardHash) / hash)}`,
      `database ${of(({ database, hash }) => (database * standardHash) / hash)}`,
    );
  }
  const [first = [], second = []] = [...results.values()];
  for (const part of ["bank", "database"] as const) {
    const of = (value: UsedCpu) => value[part];
    concludeRatio(
      `CPU of the ${part} per journey / that of ${commit}`,
      first.map(of),
      second.map(of),
      isQuick ? undefined : aims[commit]?.[part],
    );
  }
} finally {
  await close();
}
