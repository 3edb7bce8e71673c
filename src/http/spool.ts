import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { newId } from "#src/lib/ids.ts";

/** Bytes that are all there, to be sent once. */
export type Spooled = { size: number; read(): Readable };

const inMemoryBytes = 1_048_576;

/**
 * Takes in bytes to the end, so that they can be signed and counted before the first is sent: in
 * memory up to a megabyte, beyond that in a file that has no name any more and that nobody else can
 * read. `onChunk` sees every piece. Nothing remains when `chunks` fails.
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
    file ??= await openNameless();
    await file.appendFile(Buffer.concat(held));
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

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), newId("aldgate-spool"));
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}
