import { readdirSync, readFileSync } from "node:fs";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** CPU time in milliseconds: of this process, and of the database server's on its behalf. */
export type CpuTime = { process: number; database: number | null };

/**
 * Reads the CPU time used so far. Beside other work on the machine it is steadier than a rate. The
 * database's is that of the connections which the bank has open: null where /proc does not tell.
 */
export async function readCpuTime(database: Database): Promise<CpuTime> {
  const { user, system } = process.cpuUsage();
  return { process: (user + system) / 1000, database: await ofConnections(database) };
}

/** CPU time of this process's worker threads in milliseconds; null where /proc does not tell. */
export function readWorkerTime(): number | null {
  const tasks = "/proc/self/task";
  try {
    return readdirSync(tasks)
      .filter((task) => readFileSync(`${tasks}/${task}/comm`, "utf8").trim() === "WorkerThread")
      .reduce((sum, task) => sum + nanosecondsOf(`${tasks}/${task}`) / 1e6, 0);
  } catch {
    return null;
  }
}

// nanoseconds on a core come first
const nanosecondsOf = (task: string): number =>
  Number(readFileSync(`${task}/schedstat`, "utf8").split(" ")[0]);

async function ofConnections(database: Database): Promise<number | null> {
  if (database.kind !== "postgres") return null;
  const rows = await database.query<{ pid: number }>(
    sql`select pid from pg_stat_activity where application_name = 'aldgate'`,
  );
  try {
    return rows.reduce((sum, { pid }) => sum + nanosecondsOf(`/proc/${pid}`) / 1e6, 0);
  } catch {
    return null;
  }
}

/** What lies between two readings, for each of so many requests: in words. */
export function showCpuTime(before: CpuTime, after: CpuTime, requests: number): string {
  const each = (used: number) => `${(used / requests).toFixed(3)} ms`;
  const own = `CPU a request: this process ${each(after.process - before.process)}`;
  if (before.database === null || after.database === null) return own;
  return `${own}, database ${each(after.database - before.database)}`;
}
