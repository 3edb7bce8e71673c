import { type ChildProcess, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type HostName, killOn, onHost } from "./network.ts";

/** Something that a host's supervisor keeps running. */
type Kept = { host: HostName; isAlive(): boolean; start(): Promise<void> };

/** A program on a host, which somebody may also stop. */
export type Program = Kept & {
  /** Leaves it ended, once it has ended, until it is started. */
  halt(): void;
};

/** Starts what has ended, as systemd does on each host. */
export type Supervisor = {
  /** Starts it, and starts it again whenever it has ended while its host is on. */
  keep(kept: Kept): Promise<void>;
  /** Ends all processes of a host at once, and starts none until it is on again. */
  powerOff(host: HostName): void;
  powerOn(host: HostName): void;
  stop(): void;
};

const restartMs = 1000;

/** Opens the supervisor of all hosts. */
export function openSupervisor(): Supervisor {
  const off = new Set<HostName>();
  let isOpen = true;
  const watch = async (kept: Kept): Promise<void> => {
    while (isOpen) {
      await delay(restartMs);
      if (isOpen && !off.has(kept.host) && !kept.isAlive()) {
        // a bank does not start while no database accepts it: the next try follows
        await kept.start().catch(() => undefined);
      }
    }
  };
  return {
    async keep(kept) {
      if (!kept.isAlive()) await kept.start();
      void watch(kept);
    },
    powerOff(host) {
      off.add(host);
      killOn(host);
    },
    powerOn: (host) => void off.delete(host),
    stop() {
      isOpen = false;
    },
  };
}

/** A program on a host, as the supervisor keeps it. Its output goes to the file `log`. */
export function programOn(
  host: HostName,
  command: readonly string[],
  { env = {}, log }: { env?: Record<string, string>; log: string },
): Program {
  let child: ChildProcess | null = null;
  let isHalted = false;
  const runs = (): boolean =>
    child !== null && child.exitCode === null && child.signalCode === null;
  return {
    host,
    isAlive: () => isHalted || runs(),
    halt() {
      isHalted = true;
    },
    async start() {
      isHalted = false;
      const [program, ...args] = onHost(host, ...command);
      const output = openSync(log, "a");
      child = spawn(program, args, {
        env: { PATH: process.env.PATH ?? "", LANG: "C.UTF-8", TZ: "UTC", ...env },
        stdio: ["ignore", output, output],
      });
      child.on("error", () => undefined);
    },
  };
}
