import { fork } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import nodeOptions from "#scripts/node-options.json" with { type: "json" };

/** What the bank's process is asked to do. */
export type BankCommand =
  | { name: "prepareOrders"; orders: number; bound: boolean }
  | { name: "engine"; on: boolean }
  | { name: "drain" }
  | { name: "settled" }
  | { name: "cpuMilliseconds" }
  | { name: "cpuTime" }
  | { name: "startRecord" }
  | { name: "stopRecord" }
  | { name: "peakMegabytes" }
  | { name: "watch" }
  | { name: "watched" }
  | { name: "close" };

/** How a process has fared while it was watched. */
export type Watched = {
  /** Resident memory when the watch began, its garbage collected, and at its most since. */
  idleMegabytes: number;
  peakMegabytes: number;
  /** For how long the event loop was held, at its longest. */
  stallMilliseconds: number;
  /**
   * The most work that the main thread did between two looks at the clock: what of a stall is the
   * process's own, when others want the processor too.
   */
  heldMilliseconds: number;
};

/** A bank in another process. */
export type BenchBank = {
  publicUrl: string;
  mtlsUrl: string;
  /** The result is what `bank-process.ts` gives for that command. */
  ask<Result = null>(command: BankCommand): Promise<Result>;
  close(): Promise<void>;
};

/**
 * Environment of a bank without rate limit and log lines, on free ports. NODE_OPTIONS goes through,
 * so that `--cpu-prof` shows where the time goes.
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
  RATE_LIMIT_PER_SECOND: "0",
  ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
});

/** Where the data folder of a bank comes from; without either it is new, and gone after `close`. */
export type BenchFolder = {
  /** Copied for a bank on the embedded database, which is then seeded. */
  seeded?: string | undefined;
  /** Used as it is, and left. */
  kept?: string;
};

/** Opens a bank on that database, or on the embedded one, with node's options of `npm start`. */
export async function openBenchBank(
  databaseUrl: string | null,
  { seeded, kept }: BenchFolder = {},
): Promise<BenchBank> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), "aldgate-bench-"));
  if (databaseUrl === null && seeded) cpSync(seeded, folder, { recursive: true });
  const child = fork(fileURLToPath(new URL("./bank-process.ts", import.meta.url)), {
    env: bankEnvironment(folder, databaseUrl),
    execArgv: [...nodeOptions[databaseUrl === null ? "embedded" : "server"], "--expose-gc"],
  });
  const exited = new Promise<number | null>((resolve) => child.on("exit", resolve));
  type Message = { id: number; result?: unknown; error?: string };
  const pending = new Map<number, (message: Message) => void>();
  const opened = new Promise<{ publicUrl: string; mtlsUrl: string }>((resolve, reject) => {
    child.once("message", (urls) => {
      resolve(urls as { publicUrl: string; mtlsUrl: string }); // sent by bank-process.ts
      child.on("message", (message) => pending.get((message as Message).id)?.(message as Message));
    });
    void exited.then((code) => reject(new Error(`the bank ended with ${code}`)));
  });
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
    async close() {
      await ask({ name: "close" });
      await exited;
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
