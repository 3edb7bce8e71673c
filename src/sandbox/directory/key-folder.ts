import { randomUUID } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Stores keys and certificates in a folder that only its owner can read, or in memory. */
export type KeyFolder = {
  /**
   * Returns the text of a file, or makes and stores it. If two processes make it at the same time,
   * both get the same text.
   */
  take(name: string, make: () => string | Promise<string>): Promise<string>;
  read(name: string): string | null;
  write(name: string, text: string): void;
};

/** Opens a folder for keys. Null keeps them in memory. */
export function openKeyFolder(folder: string | null): KeyFolder {
  return folder === null ? memoryFolder() : diskFolder(folder);
}

function memoryFolder(): KeyFolder {
  const files = new Map<string, string>();
  return {
    async take(name, make) {
      const made = files.get(name) ?? (await make());
      if (!files.has(name)) files.set(name, made);
      return files.get(name) ?? made;
    },
    read: (name) => files.get(name) ?? null,
    write: (name, text) => void files.set(name, text),
  };
}

function diskFolder(folder: string): KeyFolder {
  const read = (name: string): string | null => {
    const file = join(folder, name);
    return existsSync(file) ? readFileSync(file, "utf8") : null;
  };
  const place = (name: string, text: string, put: (draft: string, file: string) => void): void => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${randomUUID()}`;
    writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
    try {
      put(draft, file);
    } finally {
      rmSync(draft, { force: true });
    }
  };
  return {
    read,
    async take(name, make) {
      const kept = read(name);
      if (kept !== null) return kept;
      const made = await make();
      try {
        place(name, made, linkSync); // fails if another process was first
        return made;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        return readFileSync(join(folder, name), "utf8");
      }
    },
    // replaces the file in one step: another process may read or write it at the same time
    write: (name, text) => place(name, text, renameSync),
  };
}
