import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { type Failures, type ReadyLoad, readyLoad } from "./ready-load.ts";

/** CPU milliseconds of a password hash when the aims for journeys were set. */
export const standardHash = 31;

/** Whole payment journeys: client token, consent, authorization, code exchange, order. */
export type JourneyLoad = {
  publicUrl: string;
  mtlsUrl: string;
  tpp: TppCredentials;
  /** A customer runs one journey at a time, so there are at most as many journeys as customers. */
  customers: readonly { login: string; password: string }[];
  /** Journeys in progress at the same time. */
  concurrency: number;
  journeys: number;
  /** The number of parts in which the journeys run. The default is 1. */
  parts?: number;
};

export type JourneyLoadResult = Failures & {
  journeysPerSecond: number;
  /** Milliseconds of a whole journey. */
  p50: number;
  p99: number;
};

/** Starts a load process, which signs in advance what it can. */
export const readyJourneyLoad = (load: JourneyLoad): Promise<ReadyLoad<JourneyLoadResult>> =>
  readyLoad("./journey-load-process.ts", "journeys", load);
