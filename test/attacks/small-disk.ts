import { execFileSync } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverUser } from "#test/postgres.ts";

/** A file system of a few megabytes that can be filled. */
export type SmallDisk = {
  folder: string;
  /** Fills all but this much space. */
  fill(leftBytes: number): void;
  /** Frees the space. */
  free(): void;
  remove(): void;
};

/** Mounts a small file system in memory. Returns a text if that is not possible here. */
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
