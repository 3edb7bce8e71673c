import { spawn } from "node:child_process";
import type { Draw } from "#test/attacks/fuzz/draw.ts";
import type { Cluster, DatabaseHost } from "./cluster.ts";
import { fillDisk, freeDisk } from "./disks.ts";
import {
  bankHosts,
  databaseHosts,
  type HostName,
  killOn,
  plug,
  processesOn,
  type Side,
} from "./network.ts";
import type { Programs } from "./programs.ts";

/** What a fault may strike. */
export type Scene = { cluster: Cluster; draw: Draw; primary: DatabaseHost };

/** A fault of the cluster: one row. */
export type Fault = {
  name: string;
  about: string;
  /** Strikes. Returns how many processes were killed, and what ends the fault after its time. */
  strike(scene: Scene): Struck;
  /** The shortest and the longest time until its end, in seconds. */
  lasts: readonly [number, number];
  /** Whether it ends processes of the bank. No other fault may. */
  killsBanks?: true;
  /** The program without which it cannot strike. */
  needs?: keyof Programs;
};

type Struck = { killed: number; end?: () => void };

// a kill is over at once, but the others notice it later
const short = [8, 15] as const;
const long = [25, 40] as const;
const slowMilliseconds = 300;
const leftBytes = 256 * 1024;

/** The faults in the order in which they strike. */
export const faults: readonly Fault[] = [
  {
    name: "bank",
    about: "kill -9 of a process of the bank",
    lasts: short,
    killsBanks: true,
    strike: ({ draw }) => ({ killed: killOn(draw.pick(bankHosts), "node") }),
  },
  {
    name: "primary",
    about: "kill -9 of all processes of the primary PostgreSQL",
    lasts: short,
    strike: ({ primary }) => ({ killed: killOn(primary, "postgres") }),
  },
  {
    name: "etcd",
    about: "kill -9 of a member of etcd",
    lasts: short,
    strike: ({ draw }) => ({ killed: killOn(draw.pick(databaseHosts), "etcd") }),
  },
  {
    name: "patroni",
    about: "kill -9 of the primary's Patroni",
    lasts: short,
    strike: ({ primary }) => ({ killed: killOn(primary, "patroni") }),
  },
  {
    name: "host",
    about: "the primary's host loses its power",
    lasts: long,
    strike: ({ cluster: { supervisor }, primary }) => ({
      killed: supervisor.powerOff(primary),
      end: () => supervisor.powerOn(primary),
    }),
  },
  {
    name: "silent-primary",
    about: "the primary's host falls silent, and answers again later",
    lasts: long,
    strike: ({ primary }) => silence(primary),
  },
  {
    name: "silent-standby",
    about: "a standby's host falls silent",
    lasts: long,
    strike: ({ draw, primary }) => silence(draw.pick(standbysOf(primary))),
  },
  {
    name: "silent-bank",
    about: "the host of a process of the bank falls silent",
    lasts: long,
    strike: ({ draw }) => silence(draw.pick(bankHosts)),
  },
  {
    name: "partition",
    about: "the primary and a process of the bank are cut off from all others, together",
    lasts: long,
    strike: ({ draw, primary }) => {
      const parted = [primary, draw.pick(bankHosts)];
      const move = (side: Side): void => {
        for (const host of parted) plug(host, side);
      };
      move("away");
      return { killed: 0, end: () => move("lan") };
    },
  },
  {
    name: "slow-disk",
    about: `each flush of the primary to its disk takes ${slowMilliseconds} ms more`,
    lasts: long,
    needs: "strace",
    strike: ({ cluster: { programs }, primary }) => slowDisk(primary, String(programs.strace)),
  },
  {
    name: "full-disk",
    about: "the primary's disk is full",
    lasts: long,
    strike: ({ cluster: { diskOf }, primary }) => {
      fillDisk(diskOf(primary), leftBytes);
      return { killed: 0, end: () => freeDisk(diskOf(primary)) };
    },
  },
  {
    name: "clock",
    about: "the primary's clock jumps ahead by ten minutes, and a bank's by 45 s and back",
    lasts: long,
    needs: "faketime",
    strike: ({ cluster: { clocks }, draw, primary }) => {
      const bank = draw.pick(bankHosts);
      clocks.jump(primary, 600);
      clocks.jump(bank, 45);
      // Patroni does not bear a clock that is set back: see docs/more-than-one-machine.md
      return { killed: 0, end: () => clocks.jump(bank, -45) };
    },
  },
];

const standbysOf = (primary: DatabaseHost): DatabaseHost[] =>
  databaseHosts.filter((host) => host !== primary);

function silence(host: HostName): Struck {
  plug(host, "nowhere");
  return { killed: 0, end: () => plug(host, "lan") };
}

/** Delays the system calls with which PostgreSQL flushes, in all its processes. */
function slowDisk(host: DatabaseHost, strace: string): Struck {
  const delayed = `inject=fsync,fdatasync:delay_exit=${slowMilliseconds}ms`;
  const pids = processesOn(host, "postgres").flatMap((pid) => ["-p", String(pid)]);
  const line = ["-f", "-qqq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", delayed];
  const child = spawn(strace, [...line, ...pids], { stdio: "ignore" });
  return { killed: 0, end: () => void child.kill("SIGINT") };
}
