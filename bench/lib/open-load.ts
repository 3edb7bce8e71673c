import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import type { JourneyLoad } from "./journey-load.ts";
import type { Target } from "./load.ts";
import type { PreparedOrders } from "./prepare-orders.ts";

/** The addresses of one process of a bank. */
export type ProcessAddress = { publicUrl: string; mtlsUrl: string };

/** What TPPs of a bank do at a fixed rate, whether or not it keeps up. */
export type OpenLoad = {
  /** The processes of the bank, which share the requests. */
  processes: readonly ProcessAddress[];
  /** Pages and accounts that are read in turns. */
  targets: readonly Target[];
  /** A TPP, and the refresh tokens that it exchanges in turns. */
  reader: { tpp: TppCredentials; refreshTokens: readonly string[] };
  payer: Pick<JourneyLoad, "tpp" | "customers">;
  /** A TPP, and what it orders in turns under consents that last. */
  collector: PreparedOrders;
  /** Connections to each process for reads. */
  connections: number;
  /** The addresses on loopback from which reads come, so that no caller sends too many. */
  addresses: number;
};

/** The kinds of arrivals. A journey is a whole payment, from the client token to the order. */
export const arrivals = ["reads", "refreshes", "journeys", "orders"] as const;
export type Arrival = (typeof arrivals)[number];

/** Arrivals of each kind in a second; the gaps between them are random (Poisson). */
export type Rates = Record<Arrival, number>;

/**
 * What became of the arrivals of a kind. Milliseconds count from the intended start, so waiting for
 * a connection counts too. A failed arrival has another status than 200 or 201, or no answer.
 */
export type Arrived = {
  answered: number;
  failed: number;
  firstFailure: string | null;
  p50: number;
  p99: number;
  /** The longest time without an answer that did not fail. */
  silence: number;
};

/** The arrivals of a run. */
export type OpenLoadResult = Record<Arrival, Arrived> & {
  /** Still waiting when the run was given up. */
  unanswered: number;
  /** Orders that the bank has acknowledged, also before the count began. */
  acknowledged: number;
  /** What the load itself used. */
  cpuSeconds: number;
};

/** One run. A result counts only the arrivals after the first `warmUpSeconds`. */
export type OpenRun = Rates & { warmUpSeconds: number; seconds: number };

/** A separate process that sends the load, in one or several runs. */
export type OpenLoadProcess = {
  run(run: OpenRun): Promise<OpenLoadResult>;
  close(): void;
};

/** Starts the process. */
export function startOpenLoad(load: OpenLoad): OpenLoadProcess {
  const child = fork(fileURLToPath(new URL("./open-load-process.ts", import.meta.url)), {
    serialization: "advanced", // JSON has no NaN
  });
  let measured = Promise.withResolvers<OpenLoadResult>();
  child.on("message", (result) => measured.resolve(result as OpenLoadResult)); // by that file
  child.on("error", (error) => measured.reject(error));
  child.on("exit", (code) => measured.reject(new Error(`the load ended with ${code}`)));
  child.send(load);
  return {
    run(run) {
      measured = Promise.withResolvers();
      child.send(run);
      return measured.promise;
    },
    close() {
      measured.promise.catch(() => undefined);
      child.disconnect();
    },
  };
}
