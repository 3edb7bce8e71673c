import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "#src/lib/assert.ts";

/** The hosts, with the last number of each address. */
const hosts = { balancer: 10, db1: 11, db2: 12, db3: 13, bank1: 21, bank2: 22 } as const;

/** A host of the cluster: a network namespace with a cable to a switch. */
export type HostName = keyof typeof hosts;

/** The hosts with a database, and those with a process of the bank. */
export const [databaseHosts, bankHosts] = [
  ["db1", "db2", "db3"],
  ["bank1", "bank2"],
] as const satisfies HostName[][];

/**
 * Where a host's cable ends: at the switch of the lane itself, at another switch, or nowhere. A
 * host without a switch does not see that its cable is cut, and nobody gets an answer from it.
 */
export type Side = "lan" | "away" | "nowhere";

// addresses of RFC 5737, which no network uses
const network = "192.0.2";
const domain = "bank.example";

/** The name of a host, as in the files of examples/cluster/. */
export const nameOf = (host: HostName): string => `${host}.${domain}`;

/** The names under which the balancer answers. */
export const servedNames = { public: `auth.${domain}`, mtls: `tpp.${domain}` };

/** All addresses of the hosts. */
export const hostsNetwork = `${network}.0/24`;

/** Runs a program to its end. */
export function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** The command line that runs a command on a host. */
export const onHost = (host: HostName, ...command: string[]): [string, ...string[]] => [
  "ip",
  ...["netns", "exec", host, ...command],
];

/**
 * Makes the hosts, in a namespace that has no network yet and no other process's mounts. Everything
 * ends with that namespace. The lane itself is at the switch, where the bank's callers are.
 */
export function openNetwork(folder: string): void {
  run("mkdir", "-p", "/run/netns");
  // PostgreSQL's shared memory is named after process ids, which are not the machine's here
  for (const own of ["/run/netns", "/dev/shm"]) run("mount", "-t", "tmpfs", "tmpfs", own);
  run("ip", "link", "set", "lo", "up");
  for (const side of ["lan", "away"] satisfies Side[]) {
    run("ip", "link", "add", side, "type", "bridge");
    run("ip", "link", "set", side, "up");
  }
  run("ip", "address", "add", `${network}.1/24`, "dev", "lan");
  for (const [host, number] of Object.entries(hosts) as [HostName, number][]) {
    run("ip", "netns", "add", host);
    run("ip", "link", "add", host, "type", "veth", "peer", "name", "eth0", "netns", host);
    run("ip", "-n", host, "address", "add", `${network}.${number}/24`, "dev", "eth0");
    for (const device of ["lo", "eth0"]) run("ip", "-n", host, "link", "set", device, "up");
    run("ip", "link", "set", host, "master", "lan", "up");
  }
  const lines = Object.entries(hosts).map(
    ([host, number]) => `${network}.${number} ${nameOf(host as HostName)}`,
  );
  const served = `${network}.${hosts.balancer} ${Object.values(servedNames).join(" ")}`;
  const file = join(folder, "hosts");
  writeFileSync(file, ["127.0.0.1 localhost", ...lines, served, ""].join("\n"));
  run("mount", "--bind", file, "/etc/hosts");
}

/** Moves the cable of a host. */
export function plug(host: HostName, side: Side): void {
  if (side === "nowhere") run("ip", "link", "set", host, "nomaster");
  else run("ip", "link", "set", host, "master", side);
}

/** Kills processes of a host: those of a program, or all. */
export function killOn(host: HostName, program?: string): void {
  const pids = processesOn(host, program);
  assert(pids.length > 0, `${program ?? "anything"} runs on ${host}`);
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // it has ended meanwhile
    }
  }
}

/** The processes of a host that run a program, or all. */
export function processesOn(host: HostName, program?: string): number[] {
  const pids = run("ip", "netns", "pids", host).split("\n").filter(Boolean).map(Number);
  return pids.filter((pid) => program === undefined || nameOfProcess(pid).startsWith(program));
}

/** The name of a process, which begins with that of its program; empty if it has ended. */
function nameOfProcess(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8");
  } catch {
    return "";
  }
}
