import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const checkout = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The oldest build that can run beside a newer one. A database of version 0.2.0 or earlier is
 * migrated only when its processes are stopped. This build is the last release until a tag has it.
 */
const firstBesides = "75eabec74d10a2ef642b6593ad7479aeae018d2e";

/** The source of an earlier build, with the packages of this checkout. */
export type EarlierBuild = { name: string; root: string; remove(): void };

/**
 * Unpacks the last release from git: the newest tag that can run beside this build, or else the
 * first commit that can. Returns the reason if git does not have it.
 */
export function unpackLastRelease(): EarlierBuild | string {
  const tags = git("tag", "--contains", firstBesides, "--sort=-version:refname", "v*");
  const own = git("tag", "--points-at", "HEAD");
  const [tag] = (tags ?? "").split("\n").filter((name) => name !== "" && name !== own);
  const commit = tag ?? firstBesides;
  if (git("cat-file", "-t", `${commit}^{commit}`) === null) {
    return `git does not have ${commit.slice(0, 8)}: use a clone with the whole history`;
  }
  const home = mkdtempSync(join(tmpdir(), "aldgate-last-release-"));
  const root = join(home, "aldgate");
  mkdirSync(root);
  const archive = execFileSync("git", ["archive", commit], {
    cwd: checkout,
    maxBuffer: 1024 ** 3,
  });
  const unpacked = spawnSync("tar", ["-x", "-C", root], { input: archive });
  if (unpacked.status !== 0) throw new Error(`tar: ${unpacked.stderr}`);
  symlinkSync(join(checkout, "node_modules"), join(root, "node_modules"));
  return {
    name: tag ?? commit.slice(0, 8),
    root,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** The output of git, or null if it fails. */
function git(...line: string[]): string | null {
  const { status, stdout } = spawnSync("git", line, { cwd: checkout, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}
