import { chownSync, mkdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { serverUser } from "#test/postgres.ts";
import { run } from "./network.ts";

const megabytes = 2000;

/** The user of PostgreSQL on all hosts: Debian's if there is one. */
export const databaseUser: { uid: number; gid: number } = findUser() ??
  serverUser ?? { uid: 0, gid: 0 };

function findUser(): { uid: number; gid: number } | null {
  const [, uid, gid] =
    /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : null;
}

/** The beginning of a command line that runs a program as this user. */
export const asDatabaseUser = [
  "setpriv",
  `--reuid=${databaseUser.uid}`,
  `--regid=${databaseUser.gid}`,
  "--clear-groups",
];

/** Makes a folder of this user. */
export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chownSync(folder, databaseUser.uid, databaseUser.gid);
}

/** Mounts a small file system in memory, which a fault can fill. */
export function mountDisk(folder: string): void {
  mkdirSync(folder, { recursive: true });
  run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", folder);
  makeFolder(folder);
}

const ballastIn = (folder: string): string => join(folder, "ballast");

/** Fills a disk but for some space. */
export function fillDisk(folder: string, leftBytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const bytes = Math.max(0, bavail * bsize - leftBytes);
  run("fallocate", "--length", String(bytes), ballastIn(folder));
}

/** Frees a disk. */
export function freeDisk(folder: string): void {
  rmSync(ballastIn(folder), { force: true });
}
