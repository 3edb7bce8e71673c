import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Another process has the folder of the embedded database open. */
export class FolderInUse extends Error {
  /** The id that the other process wrote; null if it has not written it yet. */
  readonly processId: number | null;
  constructor(folder: string, processId: number | null) {
    super(
      `${folder} is in use by ${processId === null ? "another process" : `process ${processId}`}`,
    );
    this.processId = processId;
  }
}

const busy = 5; // SQLITE_BUSY

// without a reference, the garbage collector would close the lock
const held = new Set<DatabaseSync>();

/**
 * Locks the folder for this process and returns the function that unlocks it. The lock is the
 * operating system's, on a file in the folder: it ends with the process, however the process ends.
 * It does not depend on process ids, and a copy of the folder is not locked. Node lacks a call for
 * such a lock, but SQLite takes one for an exclusive transaction. Throws FolderInUse.
 */
export function lockFolder(folder: string): () => void {
  const lockFile = join(folder, "lock.sqlite");
  const processFile = join(folder, "process-id");
  writeFileSync(lockFile, "", { flag: "a", mode: 0o600 });
  const lock = new DatabaseSync(lockFile);
  try {
    lock.exec("pragma journal_mode = off; begin exclusive");
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== busy) throw error;
    throw new FolderInUse(folder, readProcessId(processFile));
  }
  held.add(lock);
  // only for the message of another process: no decision depends on it
  writeFileSync(processFile, String(process.pid), { mode: 0o600 });
  return () => {
    rmSync(processFile, { force: true });
    lock.close();
    held.delete(lock);
  };
}

function readProcessId(file: string): number | null {
  try {
    const id = Number(readFileSync(file, "utf8"));
    return Number.isInteger(id) && id > 0 ? id : null;
  } catch {
    return null;
  }
}
