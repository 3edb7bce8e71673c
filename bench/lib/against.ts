import { readdirSync, readFileSync } from "node:fs";
import { present } from "#src/lib/assert.ts";
import { startPostgres } from "#test/postgres.ts";
import { type BenchBank, openBenchBank } from "./bank.ts";
import { checkOut } from "./earlier-commit.ts";
import { conclude } from "./report.ts";

/** The commit before the redesign. */
export const beforeRedesign = "c130671";

/** The commit that the command names; the one before the redesign by default. */
export const namedCommit = (): string =>
  process.argv.slice(2).find((word) => !word.startsWith("-")) ?? beforeRedesign;

/** One of two banks that are compared. */
export type ComparedBank = {
  /** The commit, or `this code`. */
  name: string;
  bank: BenchBank;
  /** The id of the bank's process. */
  pid: string;
  databaseUrl: string;
};

/** Two banks on one PostgreSQL server that flushes. */
export type ComparedBanks = {
  earlier: ComparedBank;
  current: ComparedBank;
  /** URL of the process that runs journeys of the earlier code. */
  loadProcess: string;
  close(): Promise<void>;
};

/** Opens a bank of an earlier commit and one of this code, without events and execution. */
export async function openBanks(commit: string): Promise<ComparedBanks> {
  const postgres = await startPostgres({ flushes: true });
  const checkedOut = await checkOut(commit);
  const opened: ComparedBank[] = [];
  const close = async (): Promise<void> => {
    for (const { bank } of opened) await bank.close();
    checkedOut.remove();
    await postgres.stop();
  };
  const open = async (name: string, start: typeof openBenchBank): Promise<ComparedBank> => {
    const databaseUrl = await postgres.createDatabase(
      `bench_against_${opened.length}_${process.pid}`,
    );
    const others = childrenOfThis();
    const bank = await start(databaseUrl);
    const pid = present(
      childrenOfThis().find((child) => !others.includes(child)),
      "the bank's process",
    );
    const compared = { name, bank, pid, databaseUrl };
    opened.push(compared);
    await bank.ask({ name: "engine", on: false });
    await bank.ask({ name: "events", on: false }).catch(() => undefined); // older code has no events
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

function childrenOfThis(): string[] {
  const threads = readdirSync("/proc/self/task");
  return threads.flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, "utf8").trim().split(" ").filter(Boolean),
  );
}

/** Concludes the geometric mean of the second values over the first ones, by round. */
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
