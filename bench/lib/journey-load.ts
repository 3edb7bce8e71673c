import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-client.ts";

/** Whole payment journeys: client token, consent, authorization, code exchange, order. */
export type JourneyLoad = {
  publicUrl: string;
  mtlsUrl: string;
  tpp: TppCredentials;
  /** Each customer has one journey at a time; their number is the most at the same time. */
  customers: readonly { login: string; password: string }[];
  /** Journeys in progress at the same time. */
  concurrency: number;
  journeys: number;
};

export type JourneyLoadResult = {
  journeysPerSecond: number;
  /** Milliseconds of a whole journey. */
  p50: number;
  p99: number;
  failures: number;
  firstFailure: string | null;
};

/** A load process whose client assertions and consents are signed and ready. */
export type ReadyJourneyLoad = {
  /** Runs all journeys. Throws if one did not end with an order. */
  run(): Promise<JourneyLoadResult>;
};

/** Starts a load process and signs what can be signed beforehand. */
export async function readyJourneyLoad(load: JourneyLoad): Promise<ReadyJourneyLoad> {
  const child = fork(fileURLToPath(new URL("./journey-load-process.ts", import.meta.url)));
  const next = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      child.once("message", (message) => resolve(message as T)); // sent by journey-load-process.ts
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`the load ended with ${code}`)));
    });
  const ready = next<string>();
  child.send(load);
  await ready;
  return {
    async run() {
      const done = next<JourneyLoadResult>();
      child.send("go");
      const result = await done;
      if (result.failures > 0) {
        throw new Error(`${result.failures} journeys failed, the first: ${result.firstFailure}`);
      }
      return result;
    },
  };
}
