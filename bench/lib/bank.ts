import { fork } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import nodeOptions from "#scripts/node-options.json" with { type: "json" };
import type { TestPostgres } from "#test/postgres.ts";
import type { WantedOrders } from "./prepare-orders.ts";

/** The commands to the bank's process. */
export type BankCommand =
  | ({ name: "prepareOrders" } & WantedOrders)
  | { name: "engine"; on: boolean }
  | { name: "events"; on: boolean }
  | { name: "tickEvents" }
  | { name: "subscribe"; clientId: string | null; callbackUrl: string | null }
  | { name: "acceptedEvents" }
  | { name: "drain" }
  | { name: "settled" }
  | { name: "cpuMilliseconds" }
  | { name: "cpuTime" }
  | { name: "collectGarbage" }
  | { name: "startRecord" }
  | { name: "stopRecord" }
  | { name: "peakMegabytes" }
  | { name: "watch" }
  | { name: "watched" }
  | { name: "close" };

/** The measurements of a watched process. */
export type Watched = {
  /**
   * Resident memory at the start of the watch, after a garbage collection, and its maximum since.
   */
  idleMegabytes: number;
  peakMegabytes: number;
  /** The longest time for which the event loop was blocked. */
  stallMilliseconds: number;
  /**
   * The most CPU time that the main thread used between two readings of the clock. This is the
   * process's own part of a stall when other processes use the cores too.
   */
  heldMilliseconds: number;
};

/** A bank in another process. */
export type BenchBank = {
  publicUrl: string;
  mtlsUrl: string;
  /** The result is that of `bank-process.ts` for the command. */
  ask<Result = null>(command: BankCommand): Promise<Result>;
  close(): Promise<void>;
  /** Ends the process at once, as a crash would. */
  kill(): Promise<void>;
};

/**
 * The environment of a bank without rate limits, on free ports, that logs as in production.
 * NODE_OPTIONS is passed on, so that `--cpu-prof` can show where the time goes.
 */
export const bankEnvironment = (folder: string, databaseUrl: string | null): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? "",
  NODE_OPTIONS: process.env.NODE_OPTIONS ?? "",
  ...nodeOptions.environment,
  UV_THREADPOOL_SIZE: String(availableParallelism()), // as run.mjs has it
  ALDGATE_DATA: folder,
  PUBLIC_PORT: "0",
  MTLS_PORT: "0",
  LOG_LEVEL: "error",
  REQUEST_LOG_BODIES: "false", // as in production
  RATE_LIMIT_PER_SECOND: "0",
  RATE_LIMIT_PER_CALLER: "0",
  BYTES_PER_SECOND: "0",
  REQUESTS_IN_PROGRESS: "0",
  LATE_AFTER_MILLISECONDS: "0",
  ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
});

/** The data folder of a bank. Without either member it is new, and deleted by `close`. */
export type BenchFolder = {
  /** A folder of a seeded bank, with its keys and, if embedded, its database; it is copied. */
  seeded?: string | undefined;
  /** A folder that is used as it is and not deleted. */
  kept?: string;
};

/**
 * The folder of the seeded bank that an earlier benchmark of the run has left, on a server or
 * embedded; undefined if there is none. Without its keys, a copy of its database would need new
 * ones.
 */
export function seededFolder(on: "server" | "embedded"): string | undefined {
  const { BENCH_SEEDED_FOLDER: folder } = process.env;
  return folder === undefined ? undefined : join(folder, on);
}

/**
 * Opens a copy of the seeded bank that an earlier benchmark of the run has left, with its keys; a
 * new bank if there is none. Without a server, its database is the embedded one, and its URL null.
 */
export async function openSeededBank(
  name: string,
  server: Pick<TestPostgres, "createDatabase"> | null,
): Promise<BenchBank & { databaseUrl: string | null }> {
  const template = process.env.BENCH_SEEDED_DATABASE;
  const databaseUrl =
    server && (await server.createDatabase(`bench_${name}_${process.pid}`, template));
  const seeded = seededFolder(server ? "server" : "embedded");
  return { ...(await openBenchBank(databaseUrl, { seeded })), databaseUrl };
}

/**
 * Opens a bank on that database, or on the embedded one, with the node options of `npm start`. What
 * the bank logs is printed. A logged error makes `close` fail, and with it the benchmark.
 */
export async function openBenchBank(
  databaseUrl: string | null,
  { seeded, kept, settings }: BenchFolder & { settings?: Record<string, string> } = {},
): Promise<BenchBank> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), "aldgate-bench-"));
  if (seeded) cpSync(seeded, folder, { recursive: true });
  const child = fork(fileURLToPath(new URL("./bank-process.ts", import.meta.url)), {
    env: { ...bankEnvironment(folder, databaseUrl), ...settings },
    execArgv: [...nodeOptions[databaseUrl === null ? "embedded" : "server"], "--expose-gc"],
    stdio: ["inherit", "pipe", "inherit", "ipc"],
  });
  // the bank logs only errors
  let logged = "";
  child.stdout?.on("data", (chunk) => {
    logged += chunk;
    process.stdout.write(chunk);
  });
  // after its streams have ended
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  type Message = { id: number; result?: unknown; error?: string };
  const pending = new Map<number, (message: Message) => void>();
  const opened = new Promise<{ publicUrl: string; mtlsUrl: string }>((resolve, reject) => {
    child.once("message", (urls) => {
      resolve(urls as { publicUrl: string; mtlsUrl: string }); // sent by bank-process.ts
      child.on("message", (message) => pending.get((message as Message).id)?.(message as Message));
    });
    void exited.then((code) => reject(new Error(`the bank ended with ${code}`)));
  });
  const removeFolder = (): void => {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  };
  let last = 0;
  const ask = <Result>(command: BankCommand): Promise<Result> =>
    new Promise((resolve, reject) => {
      last += 1;
      pending.set(last, ({ result, error }) =>
        error === undefined ? resolve(result as Result) : reject(new Error(error)),
      );
      child.send({ id: last, command });
    });
  return {
    ...(await opened),
    ask,
    async kill() {
      child.kill("SIGKILL");
      await exited;
      removeFolder();
    },
    async close() {
      await ask({ name: "close" });
      await exited;
      removeFolder();
      if (logged !== "") throw new Error(`the bank has logged an error: ${logged}`);
    },
  };
}
