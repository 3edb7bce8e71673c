import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The embedded database serves one process: another one has the folder. */
export class FolderInUse extends Error {
  readonly processId: number;
  constructor(folder: string, processId: number) {
    super(`${folder} is in use by process ${processId}`);
    this.processId = processId;
  }
}

/**
 * Takes the folder for this process and gives the function that lets it go. A lock whose process
 * is gone (killed) is taken over. Throws FolderInUse.
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, "aldgate.lock");
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: "wx" });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const holder = lockHolder(folder);
      if (holder !== null) throw new FolderInUse(folder, holder);
      rmSync(file, { force: true });
    }
  }
}

/** The process that has the folder, or null when none that lives does. */
export function lockHolder(folder: string): number | null {
  let holder: number;
  try {
    holder = Number(readFileSync(join(folder, "aldgate.lock"), "utf8"));
  } catch {
    return null;
  }
  if (!Number.isInteger(holder) || holder <= 0) return null;
  try {
    process.kill(holder, 0);
    return holder;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? holder : null;
  }
}
