import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The programs of a cluster, with their paths. */
export type Programs = {
  etcd: string;
  haproxy: string;
  patroni: string;
  /** The folder of `postgres`, `initdb`, `pg_basebackup` and `pg_rewind`. */
  postgresFolder: string;
  /** What makes a slow disk; null if it is absent. */
  strace: string | null;
  /** The library that makes a clock jump; null if it is absent. */
  faketime: string | null;
  /** What makes backups; null if it is absent, and then nothing is restored. */
  pgbackrest: string | null;
};

const debian = "/usr/lib/postgresql";
const oldestPostgres = 16;
const oldestPatroni = 4;
const install =
  "On Debian 13: apt-get install iproute2 postgresql-17 patroni python3-etcd etcd-server haproxy " +
  "strace libfaketime pgbackrest (elsewhere, see docs/more-than-one-machine.md)";

/** Finds the programs. Returns a text that says what is absent if the cluster cannot run here. */
export function findPrograms(): Programs | string {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return "the cluster needs Linux and root, because each of its hosts is a network namespace";
  }
  const absent = ["ip", "unshare", "setpriv"].filter((name) => findProgram(name) === null);
  const found = (name: string): string => {
    const path = findProgram(name);
    if (path === null) absent.push(name);
    return path ?? "";
  };
  const [etcd, haproxy, patroni] = [found("etcd"), found("haproxy"), found("patroni")];
  const postgresFolder = findPostgres();
  if (postgresFolder === null) absent.push(`PostgreSQL ${oldestPostgres} or later with pg_rewind`);
  if (patroni !== "" && versionOf(patroni) < oldestPatroni) {
    absent.push(`Patroni ${oldestPatroni} or later (${patroni} has no quorum commit)`);
  }
  if (absent.length > 0) return `absent: ${absent.join(", ")}. ${install}`;
  const strace = findProgram("strace");
  return {
    etcd,
    haproxy,
    patroni,
    postgresFolder: String(postgresFolder),
    strace,
    faketime: findLibrary(),
    pgbackrest: findProgram("pgbackrest"),
  };
}

/** Finds a program in PATH, or where Debian has those of administrators. */
function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/sbin"];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** The folder of the newest PostgreSQL that is new enough and whole. */
function findPostgres(): string | null {
  const versions = existsSync(debian) ? readdirSync(debian).map(Number) : [];
  const folders = versions
    .filter((version) => version >= oldestPostgres)
    .sort((one, other) => other - one)
    .map((version) => join(debian, String(version), "bin"));
  const rewind = findProgram("pg_rewind");
  const inPath = rewind === null ? [] : [join(rewind, "..")];
  const isWhole = (folder: string): boolean =>
    ["postgres", "initdb", "pg_basebackup", "pg_rewind"].every((name) =>
      existsSync(join(folder, name)),
    ) && versionOf(join(folder, "postgres")) >= oldestPostgres;
  return [...folders, ...inPath].find(isWhole) ?? null;
}

/** The first number in what a program says of its version. */
function versionOf(program: string): number {
  const said = execFileSync(program, ["--version"], { encoding: "utf8" });
  return Number(/\d+/.exec(said)?.[0] ?? 0);
}

function findLibrary(): string | null {
  const root = "/usr/lib";
  return (
    readdirSync(root)
      .map((folder) => join(root, folder, "faketime/libfaketime.so.1"))
      .find((path) => existsSync(path)) ?? null
  );
}
