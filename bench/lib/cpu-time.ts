import { readdirSync, readFileSync } from "node:fs";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** CPU milliseconds of this process, and of the database server on its behalf. */
export type CpuTime = { process: number; database: number | null };

/**
 * Reads the CPU time used so far, which other work on the machine disturbs less than a rate. The
 * database's time is that of the bank's open connections; it is null if /proc does not give it.
 */
export async function readCpuTime(database: Database): Promise<CpuTime> {
  const { user, system } = process.cpuUsage();
  return { process: (user + system) / 1000, database: await ofConnections(database) };
}

/**
 * Returns the CPU milliseconds of this process's worker threads, or null if /proc does not give
 * them.
 */
export function readWorkerTime(): number | null {
  try {
    return threadTimes("self").workers;
  } catch {
    return null;
  }
}

/**
 * Returns the CPU milliseconds of a process's worker threads and of its other threads. Throws if
 * /proc does not give them.
 */
export function threadTimes(pid: string): { workers: number; others: number } {
  const times = { workers: 0, others: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const task = `/proc/${pid}/task/${thread}`;
    const isWorker = readFileSync(`${task}/comm`, "utf8").trim() === "WorkerThread";
    times[isWorker ? "workers" : "others"] += timeOf(task);
  }
  return times;
}

/** Returns the CPU milliseconds of a thread, or of a main thread, by its folder in /proc. */
export const timeOf = (task: string): number =>
  Number(readFileSync(`${task}/schedstat`, "utf8").split(" ")[0]) / 1e6; // nanoseconds on a core

async function ofConnections(database: Database): Promise<number | null> {
  if (database.kind !== "postgres") return null;
  const rows = await database.query<{ pid: number }>(
    sql`select pid from pg_stat_activity where application_name = 'aldgate'`,
  );
  try {
    return rows.reduce((sum, { pid }) => sum + timeOf(`/proc/${pid}`), 0);
  } catch {
    return null;
  }
}

/** Formats the difference between two readings, per request. */
export function showCpuTime(before: CpuTime, after: CpuTime, requests: number): string {
  const each = (used: number) => `${(used / requests).toFixed(3)} ms`;
  const own = `CPU a request: this process ${each(after.process - before.process)}`;
  if (before.database === null || after.database === null) return own;
  return `${own}, database ${each(after.database - before.database)}`;
}
