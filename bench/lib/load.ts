import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { present } from "#src/lib/assert.ts";

/** What is asked of a server, over and over. */
export type Load = {
  port: number;
  path: string;
  headers: Record<string, string>;
  /** Asked for in turns in place of `path`, each with its own token. */
  targets?: readonly Target[];
  connections: number;
  seconds: number;
};

/** A path, and the token that opens it. */
export type Target = { path: string; token: string };

export type LoadResult = {
  requests: number;
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Answers that were not 200. */
  failures: number;
};

/** Loads a server on loopback from a process of its own, and gives what it saw. */
export function runLoad(load: Load): Promise<LoadResult> {
  const child = fork(fileURLToPath(new URL("./load-process.ts", import.meta.url)));
  return new Promise((resolve, reject) => {
    child.on("message", (result) => resolve(result as LoadResult)); // sent by load-process.ts
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code !== 0) reject(new Error(`the load ended with ${code}`));
    });
    child.send(load);
  });
}

/** One line of a report. */
export const showLoad = (name: string, { requestsPerSecond, p50, p99 }: LoadResult): string =>
  `${name.padEnd(28)} ${requestsPerSecond.toFixed(0).padStart(7)} req/s   ` +
  `p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms`;

/** The run that is neither the luckiest nor the unluckiest. */
export function middle(results: readonly LoadResult[]): LoadResult {
  const sorted = [...results].sort((a, b) => a.requestsPerSecond - b.requestsPerSecond);
  return present(sorted[Math.floor(sorted.length / 2)], "a result");
}
