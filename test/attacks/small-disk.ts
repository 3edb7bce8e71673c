import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverUser } from "#test/postgres.ts";

/** A file system of some megabytes that can be filled up. */
export type SmallDisk = {
  folder: string;
  /** Takes all space but this. */
  fill(leftBytes: number): void;
  /** Gives the space back. */
  free(): void;
  remove(): void;
};

/** Mounts a small file system in memory; a text says why that cannot be done here. */
export function mountSmallDisk(megabytes: number): SmallDisk | string {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-disk-"));
  try {
    const options = `size=${megabytes}m,mode=0755`;
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "pipe" });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    const why = (error as Error).message.split("\n").at(-1);
    return `a small file system needs root, Linux and the right to mount: ${why}`;
  }
  if (serverUser) chownSync(folder, serverUser.uid, serverUser.gid);
  const ballast = join(folder, "ballast");
  return {
    folder,
    fill(leftBytes) {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
    },
    free: () => rmSync(ballast, { force: true }),
    remove() {
      execFileSync("umount", ["--lazy", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
