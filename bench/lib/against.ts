import { readdirSync, readFileSync } from "node:fs";
import { present } from "#src/lib/assert.ts";
import type { Database } from "#src/storage/database.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { sql } from "#src/storage/sql.ts";
import { startPostgres } from "#test/postgres.ts";
import { type BenchBank, openBenchBank } from "./bank.ts";
import { threadTimes, timeOf } from "./cpu-time.ts";
import { checkOut } from "./earlier-commit.ts";
import { conclude } from "./report.ts";

/** The commit before the redesign. */
export const beforeRedesign = "c130671";

/** Returns the commit that the command names. The default is the one before the redesign. */
export const namedCommit = (): string =>
  process.argv.slice(2).find((word) => !word.startsWith("-")) ?? beforeRedesign;

/** One of two banks that are compared. */
export type ComparedBank = {
  /** The commit, or `this code`. */
  name: string;
  bank: BenchBank;
  /** The id of the bank's process. */
  pid: string;
  /** A separate connection to the bank's database. */
  observer: Database;
};

/**
 * CPU milliseconds used by password hashes, by the rest of the bank's process, and by the server's
 * processes for the bank's connections.
 */
export type UsedCpu = { hash: number; bank: number; database: number };

/** Two banks on one PostgreSQL server, which flushes commits to disk. */
export type ComparedBanks = {
  earlier: ComparedBank;
  current: ComparedBank;
  /** URL of the process that runs journeys of the earlier code. */
  loadProcess: string;
  close(): Promise<void>;
};

/**
 * Opens two banks, one of an earlier commit and one of this code, with the engine and the delivery
 * of events switched off.
 */
export async function openBanks(commit: string): Promise<ComparedBanks> {
  const postgres = await startPostgres({ flushes: true });
  const checkedOut = await checkOut(commit);
  const opened: ComparedBank[] = [];
  const close = async (): Promise<void> => {
    for (const { bank, observer } of opened) {
      await observer.close();
      await bank.close();
    }
    checkedOut.remove();
    await postgres.stop();
  };
  const open = async (name: string, start: typeof openBenchBank): Promise<ComparedBank> => {
    const databaseUrl = await postgres.createDatabase(
      `bench_against_${opened.length}_${process.pid}`,
    );
    const compared = await compare(name, databaseUrl, () => start(databaseUrl));
    opened.push(compared);
    return compared;
  };
  try {
    const earlier = await open(commit, checkedOut.openBenchBank);
    const current = await open("this code", openBenchBank);
    return { earlier, current, loadProcess: checkedOut.loadProcess, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens a bank that is compared, with the engine and the delivery of events switched off. */
export async function compare(
  name: string,
  databaseUrl: string,
  start: () => Promise<BenchBank>,
): Promise<ComparedBank> {
  const others = childrenOfThis();
  const bank = await start();
  const pid = present(
    childrenOfThis().find((child) => !others.includes(child)),
    "the bank's process",
  );
  await bank.ask({ name: "engine", on: false });
  // older code has no events
  await bank.ask({ name: "events", on: false }).catch(() => undefined);
  return { name, bank, pid, observer: await openPostgres(databaseUrl, 1) };
}

function childrenOfThis(): string[] {
  const threads = readdirSync("/proc/self/task");
  return threads.flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, "utf8").trim().split(" ").filter(Boolean),
  );
}

/** Measures the CPU time that a bank and its database use for some work. Needs Linux's /proc. */
export async function cpuOf(
  { pid, observer }: ComparedBank,
  work: () => Promise<unknown>,
): Promise<UsedCpu> {
  const [before, earlier] = [threadTimes(pid), await connectionTimes(observer)];
  await work();
  const [after, later] = [threadTimes(pid), await connectionTimes(observer)];
  let database = 0;
  for (const [connection, time] of later) database += time - (earlier.get(connection) ?? 0);
  return {
    // the bank's only worker thread hashes passwords
    hash: after.workers - before.workers,
    bank: after.others - before.others,
    database,
  };
}

/** Returns the CPU time that each of the bank's connections has used so far, by process id. */
async function connectionTimes(observer: Database): Promise<Map<number, number>> {
  const rows = await observer.query<{ pid: number }>(sql`
    select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);
  return new Map(rows.map(({ pid }) => [pid, timeOf(`/proc/${pid}`)]));
}

/** Reports the geometric mean of second / first over all rounds, with its standard error. */
export function concludeRatio(
  name: string,
  first: readonly number[],
  second: readonly number[],
  aim = "no aim",
): void {
  const logs = second.map((value, round) =>
    Math.log(value / present(first[round], "a value of the same round")),
  );
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const error = Math.exp(mean) * Math.sqrt(squares / (logs.length - 1) / logs.length);
  const value = Math.exp(mean);
  conclude({ name: `${name} (error ${error.toFixed(3)})`, value, unit: "", aim });
}
