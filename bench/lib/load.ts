import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { present } from "#src/lib/assert.ts";

/** The requests that are sent to a server repeatedly. */
export type Load = {
  port: number;
  path: string;
  headers: Record<string, string>;
  /** Targets that are requested in turns instead of `path`, each with its token. */
  targets?: readonly Target[];
  /** Sends POST with this body; in each request, `uniqueText` is replaced by a different text. */
  body?: string;
  connections: number;
  seconds: number;
};

/** Part of a body that differs in each request. The replacement has the same length. */
export const uniqueText = "{unique}";

/** A path, and a token that may read it. */
export type Target = { path: string; token: string };

export type LoadResult = {
  requests: number;
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Responses with a status other than 200 and 201. */
  failures: number;
};

/** Loads a server on loopback from a separate process. Returns the measurements. */
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

/** Formats one line of a report. */
export const showLoad = (name: string, { requestsPerSecond, p50, p99 }: LoadResult): string =>
  `${name.padEnd(28)} ${requestsPerSecond.toFixed(0).padStart(7)} req/s   ` +
  `p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms`;

/** Returns the run with the median rate. */
export function middle(results: readonly LoadResult[]): LoadResult {
  const sorted = [...results].sort((a, b) => a.requestsPerSecond - b.requestsPerSecond);
  return present(sorted[Math.floor(sorted.length / 2)], "a result");
}
