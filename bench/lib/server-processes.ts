import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PostgresServer } from "#test/attacks/postgres-server.ts";
import { timeOf } from "./cpu-time.ts";

/** The ids of a server's processes, which Linux lists in /proc. */
export function processesOf({ data }: PostgresServer): string[] {
  const [pid = ""] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
  return [pid, ...readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")];
}

/** CPU milliseconds that a server's processes have used. */
export const cpuOf = (server: PostgresServer): number =>
  processesOf(server).reduce((sum, each) => sum + timeOf(`/proc/${each}`), 0);
