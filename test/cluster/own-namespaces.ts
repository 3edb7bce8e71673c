import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ClusterOptions, ClusterReport } from "./attack.ts";

/** What the attack is told. */
export type Wanted = Omit<ClusterOptions, "history" | "say">;

/** What the attack tells. */
export type FromInside = { said: string } | { report: ClusterReport } | { failed: string };

/** The file in the folder of the attack to which it writes its history. */
export const historyFile = "history.jsonl";

// The first process of a process namespace must reap what its descendants leave. A shell does.
const first = ["sh", "-c", '"$@"; exit $?', "sh"];

/**
 * Attacks a cluster in a process that has namespaces of its own for its network, its mounts and its
 * processes. So nothing of it can reach another address, and nothing is left of it in the end.
 */
export function attackInside(wanted: Wanted, say: (text: string) => void): Promise<ClusterReport> {
  const separate = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const child = fork(fileURLToPath(new URL("inside.ts", import.meta.url)), {
    execPath: "unshare",
    execArgv: [...separate, ...first, process.execPath, ...process.execArgv],
  });
  return new Promise((resolve, reject) => {
    child.on("message", (message) => {
      const told = message as FromInside;
      if ("said" in told) say(told.said);
      else if ("report" in told) resolve(told.report);
      else reject(new Error(told.failed));
    });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`the attack's process ended with ${code}`)));
    child.send(wanted);
  });
}
