import type { Database } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import {
  beforeRedesign,
  type ComparedBank,
  concludeRatio,
  namedCommit,
  openBanks,
} from "./lib/against.ts";
import { threadTimes, timeOf } from "./lib/cpu-time.ts";
import { type JourneyLoad, type JourneyLoadResult, standardHash } from "./lib/journey-load.ts";
import { type PreparedJourneys, prepareJourneys } from "./lib/prepare-journeys.ts";
import { readyLoad } from "./lib/ready-load.ts";
import { isQuick, median, show } from "./lib/report.ts";
import { inTurns } from "./lib/turns.ts";

// `npm run bench -- journeys-against=COMMIT`: the CPU time of whole payment journeys, one at a time,
// of this code and of an earlier commit, in turns on one PostgreSQL server. The time of one run
// depends on the machine and its hour; what slows both in turns does not change their ratio. Times
// are read from /proc, so this needs Linux. The commit must be c130671 or later.

const commit = namedCommit();
const rounds = isQuick ? 6 : 40;
const warmUps = isQuick ? 1 : 6;
const each = 20;
const block = { concurrency: 8, journeys: 320 };
const aims: Partial<Record<string, Record<"bank" | "database", string>>> = {
  // 12 of 21 ms, and 6 of 11 ms
  [beforeRedesign]: { bank: "aim: at most 0.571", database: "aim: at most 0.545" },
};

type Way = ComparedBank & {
  observer: Database;
  load: PreparedJourneys;
  loadProcess: string;
};

/** CPU milliseconds per journey: of password hashes, of the rest of the bank, of the database. */
type Times = { hash: number; bank: number; database: number };

/** The CPU time of each of the bank's connections so far. */
async function connectionTimes(observer: Database): Promise<Map<number, number>> {
  const rows = await observer.query<{ pid: number }>(sql`
    select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
  return new Map(rows.map(({ pid }) => [pid, timeOf(`/proc/${pid}`)]));
}

async function run(
  { pid, observer, load, loadProcess }: Way,
  wanted: Pick<JourneyLoad, "concurrency" | "journeys">,
): Promise<Times> {
  const ready = await readyLoad<JourneyLoadResult>(loadProcess, "journeys", {
    ...load,
    ...wanted,
  });
  const [before, earlier] = [threadTimes(pid), await connectionTimes(observer)];
  await ready.run();
  const [after, later] = [threadTimes(pid), await connectionTimes(observer)];
  let database = 0;
  for (const [connection, time] of later) database += time - (earlier.get(connection) ?? 0);
  const { journeys } = wanted;
  return {
    // the bank's only worker thread hashes passwords
    hash: (after.workers - before.workers) / journeys,
    bank: (after.others - before.others) / journeys,
    database: database / journeys,
  };
}

const { earlier, current, loadProcess, close } = await openBanks(commit);
const ways: Way[] = [];

async function prepare(one: ComparedBank, loadProcess: string): Promise<void> {
  const load = await prepareJourneys(one.bank);
  ways.push({ ...one, observer: await openPostgres(one.databaseUrl, 1), load, loadProcess });
}

try {
  await prepare(earlier, loadProcess);
  await prepare(current, "./journey-load-process.ts");
  console.log(`\nPayment journeys of ${commit} and of this code, in turns: ${rounds} rounds`);
  for (let warmUp = 0; warmUp < warmUps; warmUp++) {
    for (const way of ways) await run(way, block);
    console.log(`  warmed up by ${(warmUp + 1) * block.journeys} journeys`);
  }
  const results = await inTurns(ways, rounds, (way) =>
    run(way, { concurrency: 1, journeys: each }),
  );
  for (const [{ name }, times] of results) {
    const of = (value: (one: Times) => number) => `${median(times.map(value)).toFixed(1)} ms`;
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
    const of = (value: Times) => value[part];
    concludeRatio(
      `CPU of the ${part} per journey / that of ${commit}`,
      first.map(of),
      second.map(of),
      isQuick ? undefined : aims[commit]?.[part],
    );
  }
} finally {
  for (const { observer } of ways) await observer.close();
  await close();
}
