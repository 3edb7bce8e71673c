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
  /**
   * How many requests all connections together send in a second. A request whose turn has come
   * while its connection waits counts from its turn. Without it, as many as are answered.
   */
  perSecond?: number;
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

/** A separate process that loads a server on loopback, in one or several turns. */
export type LoadProcess = {
  /** Sends requests for some seconds, on new connections, from the target after the last run's. */
  run(seconds: number): Promise<LoadResult>;
  /** Ends the process. */
  close(): void;
};

/** Starts a process that loads a server. */
export function startLoad(load: Omit<Load, "seconds">): LoadProcess {
  const child = fork(fileURLToPath(new URL("./load-process.ts", import.meta.url)));
  let measured = Promise.withResolvers<LoadResult>();
  child.on("message", (result) => measured.resolve(result as LoadResult)); // by load-process.ts
  child.on("error", (error) => measured.reject(error));
  child.on("exit", (code) => measured.reject(new Error(`the load ended with ${code}`)));
  child.send(load);
  return {
    run(seconds) {
      measured = Promise.withResolvers();
      child.send(seconds);
      return measured.promise;
    },
    close() {
      measured.promise.catch(() => undefined);
      child.disconnect();
    },
  };
}

/** Loads a server on loopback from a separate process. Returns the measurements. */
export async function runLoad({ seconds, ...load }: Load): Promise<LoadResult> {
  const process = startLoad(load);
  const result = await process.run(seconds);
  process.close();
  return result;
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
