import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A load process that has signed its requests and is waiting. */
export type ReadyLoad<Result> = {
  /** Sends everything, or the next part of it. Throws if an item fails. */
  run(): Promise<Result>;
};

/** How every load reports failed items. */
export type Failures = { failures: number; firstFailure: string | null };

/**
 * Starts a load process from a file in this folder. The process receives the load, reports when it
 * is ready, and sends everything, or a part of it, at each "go". `items` is the plural name of what
 * the load sends.
 */
export async function readyLoad<Result extends Failures>(
  file: string,
  items: string,
  load: object,
): Promise<ReadyLoad<Result>> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)));
  let waiting = Promise.withResolvers<unknown>();
  child.on("message", (message) => waiting.resolve(message));
  child.on("error", (error) => waiting.reject(error));
  child.on("exit", (code) => waiting.reject(new Error(`the load ended with ${code}`)));
  const answerTo = async <T>(message: string | object): Promise<T> => {
    waiting = Promise.withResolvers<unknown>();
    child.send(message);
    return (await waiting.promise) as T; // sent by that file
  };
  await answerTo<string>(load);
  return {
    async run() {
      const result = await answerTo<Result>("go");
      if (result.failures > 0) {
        throw new Error(`${result.failures} ${items} failed, the first: ${result.firstFailure}`);
      }
      return result;
    },
  };
}
