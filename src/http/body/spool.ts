import { type FileHandle, open, readdir, rm, stat, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { newId } from "#src/lib/ids.ts";
import { Unavailable } from "#src/lib/unavailable.ts";

/**
 * Bytes that have arrived completely. They can be read once, or discarded; discarding after reading
 * does nothing.
 */
type Spooled = { size: number; read(): Readable; discard(): Promise<void> };

const inMemoryBytes = 1_048_576;
const prefix = "aldgate-spool";
const staleMilliseconds = 60_000;

/**
 * Receives bytes to the end, so that they can be checked before the first is passed on. Up to a
 * megabyte is kept in memory, more in a file below `folder` whose name is deleted and that nobody
 * else can read. The system frees the file when the process ends, even after a crash. `onChunk`
 * sees every piece. If `chunks` fails, nothing remains. Throws Unavailable if the host has no space
 * for the file.
 */
export async function spool(
  chunks: AsyncIterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
  folder = tmpdir(),
): Promise<Spooled> {
  let held: Uint8Array[] = [];
  let file: FileHandle | undefined;
  let size = 0;
  let waiting = 0;
  const flush = async (): Promise<void> => {
    try {
      file ??= await openNameless(folder);
      await file.appendFile(Buffer.concat(held));
    } catch (error) {
      throw asOutage(error);
    }
    held = [];
    waiting = 0;
  };
  try {
    for await (const chunk of chunks) {
      onChunk(chunk);
      held.push(chunk);
      size += chunk.length;
      waiting += chunk.length;
      if (waiting >= inMemoryBytes) await flush();
    }
    if (file && waiting > 0) await flush();
  } catch (error) {
    await file?.close();
    throw error;
  }
  const kept = file;
  return {
    size,
    read: () => (kept ? kept.createReadStream({ start: 0 }) : Readable.from(held)),
    async discard() {
      held = [];
      await kept?.close();
    },
  };
}

// The disk or its quota is full, or the process or the host has no descriptor left.
const exhausted = new Set(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE"]);

function asOutage(error: unknown): unknown {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (!exhausted.has(code)) return error;
  return new Unavailable("disk", `the temporary folder has no room for a file: ${message}`, {
    cause: error,
  });
}

async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, newId(prefix));
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}

/**
 * Removes the empty files of processes that were killed between creating a file and deleting its
 * name. Call it when a process starts.
 */
export async function removeLeftSpools(folder = tmpdir()): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    // another program may have a folder of such a name here
    if (!found?.isFile() || Date.now() - found.mtimeMs < staleMilliseconds) continue;
    await rm(path, { force: true });
  }
}
