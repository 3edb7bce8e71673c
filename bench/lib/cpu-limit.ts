import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A limit on the CPU time of some processes together, and of all that they start. */
export type CpuLimit = {
  add(pids: readonly (number | string)[]): void;
  /** Lets the processes go, and removes the limit. */
  remove(): void;
};

const root = "/sys/fs/cgroup";
// short, so that a server that has used its share waits only a little for the next
const period = 20_000;

type Version = { parent: string; limits(quota: number): Record<string, string> };

/** Where a control group is made, and the files that limit it. */
const versions: readonly Version[] = [
  ...["cpu", "cpu,cpuacct"].map((name) => ({
    parent: join(root, name),
    limits: (quota: number) => ({
      "cpu.cfs_period_us": String(period),
      "cpu.cfs_quota_us": String(quota),
    }),
  })),
  { parent: root, limits: (quota) => ({ "cpu.max": `${quota} ${period}` }) },
];

/**
 * Limits processes to a share of a core with a control group of Linux, of version 1 or 2. Throws
 * where none can be made: it needs root, and with version 2 the controller `cpu` for this group.
 */
export function limitCpu(name: string, cores: number): CpuLimit {
  const version = versions.find(({ parent }) => existsSync(join(parent, "cgroup.procs")));
  if (!version) throw new Error("this system has no control groups");
  const folder = join(version.parent, `aldgate-bench-${process.pid}-${name}`);
  mkdirSync(folder);
  try {
    for (const [file, value] of Object.entries(version.limits(Math.round(cores * period)))) {
      // a file of the kernel, which does not create one that it does not have
      writeFileSync(join(folder, file), value, { flag: "r+" });
    }
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  const move = (to: string, pids: readonly (number | string)[]): void => {
    for (const pid of pids) {
      try {
        writeFileSync(join(to, "cgroup.procs"), String(pid));
      } catch (error) {
        // ended meanwhile
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    }
  };
  return {
    add: (pids) => move(folder, pids),
    remove() {
      const members = readFileSync(join(folder, "cgroup.procs"), "utf8");
      move(version.parent, members.split("\n").filter(Boolean));
      rmdirSync(folder);
    },
  };
}
