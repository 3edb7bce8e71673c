import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { seedVersion } from "#src/sandbox/personas/seed-personas.ts";
import { FolderInUse, lockFolder } from "#src/storage/folder-lock.ts";

// What banks for tests are copied from is made once per version and day, and kept for the next
// test runs of this user. Files that nobody has used for a fortnight are deleted.
const keptDays = 14;
const lookMs = 50;

/** Returns the user's folder for caches; a folder for temporary files if it cannot be written. */
export function cacheFolder(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const own: Partial<Record<NodeJS.Platform, string>> = {
    darwin: join(homedir(), "Library", "Caches"),
    win32: LOCALAPPDATA ?? join(homedir(), "AppData", "Local"),
  };
  const folder = XDG_CACHE_HOME || (own[process.platform] ?? join(homedir(), ".cache"));
  try {
    return madeFolder(join(folder, "aldgate"));
  } catch {
    return madeFolder(join(tmpdir(), `aldgate-cache-${userInfo().username}`));
  }
}

function madeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** The folder of this version's files. */
export const versionFolder = (cache: string): string =>
  madeFolder(join(cache, `testing-${seedVersion()}`));

/**
 * Returns the file, which `make` writes if it is missing. If several processes want it at the same
 * time, one makes it and the others wait.
 */
export async function keptFile(
  file: string,
  make: (draft: string) => Promise<void>,
): Promise<string> {
  const lock = `${file}.lock`;
  while (!touch(file)) {
    const unlock = tryLock(lock);
    if (unlock === null) {
      await delay(lookMs);
      continue;
    }
    try {
      if (touch(file)) break;
      const draft = join(lock, basename(file));
      await make(draft);
      renameSync(draft, file);
    } finally {
      unlock();
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return file;
}

function tryLock(folder: string): (() => void) | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    return lockFolder(folder);
  } catch (error) {
    // the process that had it has finished, or works
    if (error instanceof FolderInUse || isMissing(error)) return null;
    throw error;
  }
}

/** Marks the file as used. Returns false if there is none. */
function touch(file: string): boolean {
  try {
    const now = new Date();
    utimesSync(file, now, now);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** Deletes the files that nobody has used for a fortnight. */
export function removeUnused(cache: string): void {
  const limit = Date.now() - keptDays * 24 * 3_600_000;
  for (const entry of readdirSync(cache, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    try {
      if (entry.isFile() && statSync(path).mtimeMs < limit) rmSync(path, { force: true });
    } catch (error) {
      if (!isMissing(error)) throw error; // another process has deleted it
    }
  }
}
