import { readFileSync } from "node:fs";
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

async function ofConnections(database: Database): Promise<number | null> {
  if (database.kind !== "postgres") return null;
  const rows = await database.query<{ pid: number }>(
    sql`select pid from pg_stat_activity where application_name = 'aldgate'`,
  );
  try {
    return rows.reduce((sum, { pid }) => {
      // nanoseconds on a core come first
      const [used] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
      return sum + Number(used) / 1e6;
    }, 0);
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
