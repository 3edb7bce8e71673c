import { spawn } from "node:child_process";
import type { DatabaseHost } from "./cluster.ts";
import { fillDisk, freeDisk } from "./disks.ts";
import type { Fault, Scene, Struck } from "./fault.ts";
import {
  bankHosts,
  databaseHosts,
  type HostName,
  plug,
  processesOn,
  type Side,
} from "./network.ts";
import { startStorm } from "./storm.ts";

// a kill is over at once, but the others notice it later
const short = [8, 15] as const;
const long = [25, 40] as const;
const slowMilliseconds = 300;
const leftBytes = 256 * 1024;

/** The faults in the order in which they strike. */
export const faults: readonly Fault[] = [
  {
    name: "bank",
    happens: "`kill -9` of a process. The balancer sends callers to the other one.",
    lasts: short,
    killsBanks: true,
    strike: killing("node", ({ draw }) => draw.pick(bankHosts)),
  },
  {
    name: "primary",
    happens:
      "`kill -9` of the primary PostgreSQL. Patroni starts it again, or a standby takes over.",
    lasts: short,
    strike: killing("postgres", ({ primary }) => primary),
  },
  {
    name: "etcd",
    happens: "`kill -9` of a member of etcd. The other two go on.",
    lasts: short,
    strike: killing("etcd", ({ draw }) => draw.pick(databaseHosts)),
  },
  {
    name: "patroni",
    happens:
      "`kill -9` of the primary's Patroni. PostgreSQL goes on, and systemd starts Patroni again.",
    lasts: short,
    strike: killing("patroni", ({ primary }) => primary),
  },
  {
    name: "host",
    happens: "The primary's host loses its power. A standby takes over.",
    lasts: long,
    strike({ cluster: { supervisor }, primary }) {
      supervisor.powerOff(primary);
      return { end: () => supervisor.powerOn(primary) };
    },
  },
  {
    name: "silent-primary",
    happens:
      "The primary's host falls silent. After `ttl`, a standby takes over, and the host " +
      "becomes a standby when it answers again.",
    lasts: long,
    strike: ({ primary }) => silence(primary),
  },
  {
    name: "silent-standby",
    happens: "A standby's host falls silent. The other standby is enough for each commit.",
    lasts: long,
    strike: ({ draw, primary }) => silence(draw.pick(standbysOf(primary))),
  },
  {
    name: "silent-bank",
    happens: "The host of a process falls silent. The balancer sends callers to the other one.",
    lasts: long,
    strike: ({ draw }) => silence(draw.pick(bankHosts)),
  },
  {
    name: "partition",
    happens:
      "The primary and a process are cut off from all others, together. The primary cannot " +
      "commit anything, and ends. A standby takes over for the other process.",
    lasts: long,
    strike: ({ draw, primary }) => {
      const parted = [primary, draw.pick(bankHosts)];
      const move = (side: Side): void => {
        for (const host of parted) plug(host, side);
      };
      move("away");
      return { end: () => move("lan") };
    },
  },
  {
    name: "slow-disk",
    happens: "Each flush of the primary to its disk takes 300 ms more.",
    lasts: long,
    needs: "strace",
    strike: ({ cluster: { programs }, primary }) => slowDisk(primary, String(programs.strace)),
  },
  {
    name: "full-disk",
    happens: "The primary's disk is full. `disk-guard.sh` lets a standby take over.",
    lasts: long,
    strike: ({ cluster: { diskOf }, primary }) => {
      fillDisk(diskOf(primary), leftBytes);
      return { end: () => freeDisk(diskOf(primary)) };
    },
  },
  {
    name: "clock",
    happens:
      "The primary's clock jumps ahead by ten minutes, and a process's by 45 s and back. In the " +
      "end, the primary's host is restarted with the right time.",
    lasts: long,
    needs: "faketime",
    strike: ({ cluster: { clocks, supervisor }, draw, primary }) => {
      const bank = draw.pick(bankHosts);
      clocks.jump(primary, 600);
      clocks.jump(bank, 45);
      return {
        end() {
          clocks.jump(bank, -45);
          // Patroni bears neither a clock that is set back, nor a restart of its own after a jump:
          // see docs/more-than-one-machine.md
          supervisor.powerOff(primary);
          clocks.jump(primary, -600);
          supervisor.powerOn(primary);
        },
      };
    },
  },
  {
    name: "storm",
    happens:
      "`kill -9` of processes, of members of etcd and of Patroni on all hosts, all the time. The " +
      "next one of each follows when all of its kind serve again.",
    lasts: [50, 60],
    killsBanks: true,
    strike: startStorm,
  },
];

/** A fault that kills a program on a host. */
function killing(program: string, hostOf: (scene: Scene) => HostName): Fault["strike"] {
  return (scene) => {
    scene.kill(hostOf(scene), program);
    return {};
  };
}

const standbysOf = (primary: DatabaseHost): DatabaseHost[] =>
  databaseHosts.filter((host) => host !== primary);

function silence(host: HostName): Struck {
  plug(host, "nowhere");
  return { end: () => plug(host, "lan") };
}

/** Delays the system calls with which PostgreSQL flushes, in all its processes. */
function slowDisk(host: DatabaseHost, strace: string): Struck {
  const delayed = `inject=fsync,fdatasync:delay_exit=${slowMilliseconds}ms`;
  const pids = processesOn(host, "postgres").flatMap((pid) => ["-p", String(pid)]);
  const line = ["-f", "-qqq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", delayed];
  const child = spawn(strace, [...line, ...pids], { stdio: "ignore" });
  return { end: () => void child.kill("SIGINT") };
}
