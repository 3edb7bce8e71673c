import { setImmediate } from "node:timers/promises";
import type { Queryable } from "#src/storage/database.ts";
import type { FileReader } from "./file-reader.ts";
import { type ComingFile, storeChunk, storeInstructions } from "./store-file.ts";

// The bytes per row: few enough to be parsed between two other requests.
const chunkBytes = 262_144;
const batchSize = 500;
// The bytes that are read without a pause: a few milliseconds.
const pieceBytes = 16_384;

/** Splits a chunk into pieces that are each read in a few milliseconds. */
export function* piecesOf(bytes: Buffer): Generator<Buffer, void> {
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    yield bytes.subarray(start, start + pieceBytes);
  }
}

/** Stores a file's bytes and instructions while they are read, and keeps few of them in memory. */
export class FileStore {
  readonly #database: Queryable;
  readonly #file: ComingFile;
  readonly #reader: FileReader;
  #held: Buffer[] = [];
  #heldBytes = 0;

  constructor(database: Queryable, file: ComingFile, reader: FileReader) {
    this.#database = database;
    this.#file = file;
    this.#reader = reader;
  }

  /** Accepts the next bytes, of any length. */
  async take(bytes: Buffer): Promise<void> {
    for (const piece of piecesOf(bytes)) {
      await this.#takePiece(piece);
      // a fast sender must not delay other requests
      await setImmediate();
    }
  }

  /** Stores the last bytes. */
  async end(): Promise<void> {
    if (this.#heldBytes > 0) await this.#storeHeld();
  }

  /** Stores the last instructions after the reader has finished. */
  async storeRest(): Promise<void> {
    if (!this.#reader.broken && this.#reader.waiting > 0) await this.#storeBatch();
  }

  async #takePiece(piece: Buffer): Promise<void> {
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes >= chunkBytes) await this.#storeHeld();
    this.#reader.write(piece);
    if (this.#reader.waiting >= batchSize) await this.#storeBatch();
  }

  async #storeHeld(): Promise<void> {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    await storeChunk(this.#database, this.#file, bytes);
  }

  #storeBatch(): Promise<void> {
    return storeInstructions(this.#database, this.#file, this.#reader.take());
  }
}
