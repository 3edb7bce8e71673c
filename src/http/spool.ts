import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { newId } from "#src/lib/ids.ts";
import { Unavailable } from "#src/lib/unavailable.ts";

/** Bytes that are all there, to be sent once. */
export type Spooled = { size: number; read(): Readable };

const inMemoryBytes = 1_048_576;

/**
 * Takes in bytes to the end, so that they can be signed and counted before the first is sent: in
 * memory up to a megabyte, beyond that in a file that has no name any more and that nobody else can
 * read. `onChunk` sees every piece. Nothing remains when `chunks` fails. Throws Unavailable when
 * the host has no room for the file.
 */
export async function spool(
  chunks: AsyncIterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
): Promise<Spooled> {
  let held: Uint8Array[] = [];
  let file: FileHandle | undefined;
  let size = 0;
  let waiting = 0;
  const flush = async (): Promise<void> => {
    try {
      file ??= await openNameless();
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
  };
}

// The disk or its quota is full, or the process or the host has no descriptor left.
const exhausted = new Set(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE"]);

function asOutage(error: unknown): unknown {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (!exhausted.has(code)) return error;
  return new Unavailable("disk", `the temporary folder takes no file: ${message}`, {
    cause: error,
  });
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), newId("aldgate-spool"));
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}
