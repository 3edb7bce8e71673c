import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import nodeOptions from "#scripts/node-options.json" with { type: "json" };
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppBank } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { compileCache } from "#test/cli/running-bank.ts";
import { type HostName, onHost } from "#test/cluster/network.ts";
import { freePort } from "#test/free-port.ts";
import { patienceMs } from "#test/until.ts";

/** A bank in a process that an attack may kill. */
export type BankProcess = TppBank & {
  /** The lines of its log: only errors, unless LOG_LEVEL says otherwise. */
  log: string[];
  /** The memory and descriptors that it uses now; null if the system does not report them. */
  holdings(): Holdings | null;
  isAlive(): boolean;
  /** How often it was started. */
  starts(): number;
  /** How it ended, with its last output; null while it is alive. */
  ending(): string | null;
  /** Kills it, like a power cut. */
  kill(): Promise<void>;
  /** Closes it. Returns its exit code. */
  close(): Promise<number | null>;
  /** Opens it again with the same folder and settings. */
  reopen(): Promise<void>;
};

/**
 * Resident memory in megabytes, and the number of open sockets and files. The embedded database's
 * files are not counted, because it keeps each open after the first use.
 */
export type Holdings = { megabytes: number; descriptors: number };

/**
 * Settings with which a bank soon takes over the payments of a killed process. The sandbox bank
 * responds in milliseconds, so a deadline of 2 s is long enough.
 */
export const quickTakeover = { BANK_EXECUTE_DEADLINE_MS: "2000", PAYMENT_LEASE_SECONDS: "5" };

const checkout = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Opens a bank in the same way as `npm start`, on free ports, with the given data folder and
 * settings. `descriptors` limits its open files and sockets, `preload` is a module that runs before
 * the bank in its process, `root` is the folder of its source, and `host` is a host of a cluster.
 */
export async function startBank(
  folder: string,
  settings: Record<string, string>,
  {
    descriptors,
    preload,
    root = checkout,
    host,
  }: { descriptors?: number; preload?: string; root?: string; host?: HostName } = {},
): Promise<BankProcess> {
  const [publicPort, mtlsPort] = [await freePort(), await freePort()];
  const environment = {
    PATH: process.env.PATH ?? "",
    ...nodeOptions.environment,
    ...compileCache,
    UV_THREADPOOL_SIZE: String(availableParallelism()),
    ALDGATE_DATA: folder,
    PUBLIC_PORT: String(publicPort),
    MTLS_PORT: String(mtlsPort),
    MANAGEMENT_PORT: "0",
    LOG_LEVEL: "error",
    RATE_LIMIT_PER_SECOND: "0",
    RATE_LIMIT_PER_CALLER: "0",
    BYTES_PER_SECOND: "0",
    REQUESTS_IN_PROGRESS: "0",
    LATE_AFTER_MILLISECONDS: "0",
    // a database on a busy machine may accept a connection late
    DATABASE_CONNECT_SECONDS: "20",
    ...settings,
  };
  const log: string[] = [];
  const output = { last: "" };
  let child: ChildProcess;
  let starts = 0;
  let ended: Promise<unknown[]>;
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  const open = async (): Promise<void> => {
    const options = nodeOptions[settings.DATABASE_URL ? "server" : "embedded"];
    const before = preload === undefined ? [] : ["--import", preload];
    const line = [process.execPath, ...options, ...before, join(root, "src/main.ts"), "start"];
    const limit = descriptors === undefined ? "" : `ulimit -n ${descriptors}; `;
    const started = ["sh", "-c", `${limit}exec "$@"`, "sh", ...line];
    const [program = "", ...rest] = host === undefined ? started : onHost(host, ...started);
    child = spawn(program, rest, {
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    starts += 1;
    ended = once(child, "close");
    await untilOpen(child, log, output);
  };
  await open();
  return {
    publicUrl: `http://localhost:${publicPort}`,
    mtlsUrl: `https://localhost:${mtlsPort}`,
    operations: listOperations(paymentKinds),
    log,
    isAlive,
    starts: () => starts,
    ending: () =>
      isAlive() ? null : `${child.signalCode ?? `exit code ${child.exitCode}`}\n${output.last}`,
    holdings: () => readHoldings(child.pid, folder),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async close() {
      child.kill("SIGTERM");
      await ended;
      return child.exitCode;
    },
    reopen: open,
  };
}

/** Waits until the bank reports that it is open. Collects its log and its last output. */
function untilOpen(child: ChildProcess, log: string[], output: { last: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    output.last = "";
    const giveUp = setTimeout(
      () => reject(new Error(`the bank did not open: ${output.last}`)),
      patienceMs,
    );
    const settle = (act: () => void) => () => {
      clearTimeout(giveUp);
      act();
    };
    const done = settle(resolve);
    for (const stream of [child.stdout, child.stderr]) {
      let rest = "";
      stream?.on("data", (chunk) => {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop() ?? "";
        log.push(...lines.filter((line) => line.startsWith("{")));
        output.last = (output.last + chunk).slice(-4000);
        if (output.last.includes("Aldgate is open.")) done();
      });
    }
    child.on(
      "exit",
      settle(() => reject(new Error(`the bank ended: ${output.last}`))),
    );
  });
}

/** Reads the figures from Linux's /proc. Returns null on other systems. */
function readHoldings(pid: number | undefined, folder: string): Holdings | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
    const descriptors = readdirSync(`/proc/${pid}/fd`)
      .map((descriptor) => targetOf(`/proc/${pid}/fd/${descriptor}`))
      .filter((target) => target !== null && !target.startsWith(folder)).length;
    return { megabytes: Math.round(kilobytes / 1024), descriptors };
  } catch {
    return null;
  }
}

/** Returns the target of a link, or null if the link no longer exists. */
function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}
