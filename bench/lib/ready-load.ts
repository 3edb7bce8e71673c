import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A load process that has signed its requests and is waiting. */
export type ReadyLoad<Result> = {
  /** Sends everything. Throws if an item fails. */
  run(): Promise<Result>;
};

/** How every load reports failed items. */
export type Failures = { failures: number; firstFailure: string | null };

/**
 * Starts a load process from a file in this folder. The process receives the load, reports when it
 * is ready, and starts at "go". `items` is the plural name of what the load sends.
 */
export async function readyLoad<Result extends Failures>(
  file: string,
  items: string,
  load: object,
): Promise<ReadyLoad<Result>> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)));
  const next = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      child.once("message", (message) => resolve(message as T)); // sent by that file
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`the load ended with ${code}`)));
    });
  const ready = next<string>();
  child.send(load);
  await ready;
  return {
    async run() {
      const done = next<Result>();
      child.send("go");
      const result = await done;
      if (result.failures > 0) {
        throw new Error(`${result.failures} ${items} failed, the first: ${result.firstFailure}`);
      }
      return result;
    },
  };
}
