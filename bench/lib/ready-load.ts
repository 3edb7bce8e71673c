import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A load process that has signed its requests and waits. */
export type ReadyLoad<Result> = {
  /** Sends everything. Throws if an item failed. */
  run(): Promise<Result>;
};

/** What every load reports of the items that failed. */
export type Failures = { failures: number; firstFailure: string | null };

/**
 * Starts the load process of a file in this folder. The process gets the load, answers when it is
 * ready, and starts at "go". `items` names in the plural what the load sends.
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
