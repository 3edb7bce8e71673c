import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type Failures, type ReadyLoad, readyLoad } from "./ready-load.ts";

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

export type JourneyLoadResult = Failures & {
  journeysPerSecond: number;
  /** Milliseconds of a whole journey. */
  p50: number;
  p99: number;
};

/** Starts a load process and signs what can be signed beforehand. */
export const readyJourneyLoad = (load: JourneyLoad): Promise<ReadyLoad<JourneyLoadResult>> =>
  readyLoad("./journey-load-process.ts", "journeys", load);
