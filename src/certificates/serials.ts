import { setImmediate as turn } from "node:timers/promises";
import { boundsOf, tags } from "./der.ts";

// less than a millisecond of work
const entriesPerTurn = 1_000;
// a list of a million different serial numbers needs about a hundred
const mostTries = 1_000;

/**
 * The serial numbers of the entries of a list: a hash table of their positions in its bytes. An
 * object for each of a million entries would cost long pauses to collect garbage.
 */
export class Serials {
  /** The encoded entries. */
  readonly entries: Buffer;
  /** The number of entries. */
  readonly size: number;
  // a position in the entries; 0 if the slot is free
  readonly #slots: Uint32Array;

  private constructor(entries: Buffer, size: number) {
    this.entries = entries;
    this.size = size;
    // at most half of the slots are taken
    this.#slots = new Uint32Array(2 ** (1 + Math.ceil(Math.log2(size + 1))));
  }

  /** Reads entries, of which there may be many. Other work goes on meanwhile. Throws. */
  static async of(entries: Buffer): Promise<Serials> {
    let size = 0;
    await eachInTurns(entries, () => {
      size += 1;
    });
    const serials = new Serials(entries, size);
    await eachInTurns(entries, (position) => serials.#add(position));
    return serials;
  }

  /** Whether a serial number is one of them, in the form of `serialText`. */
  has(serial: string): boolean {
    const bytes = Buffer.from(serial, "hex");
    const mask = this.#slots.length - 1;
    for (let at = hashOf(bytes, 0, bytes.length) & mask; ; at = (at + 1) & mask) {
      const position = this.#slots[at] ?? 0;
      if (position === 0) return false;
      const { start, end } = boundsOf(this.entries, position);
      if (serialText(this.entries.subarray(start, end)) === serial) return true;
    }
  }

  #add(entry: number): void {
    const position = boundsOf(this.entries, entry).start;
    if (this.entries[position] !== tags.integer) {
      throw new Error("an entry of the list has no serial number");
    }
    const { start, end } = boundsOf(this.entries, position);
    const mask = this.#slots.length - 1;
    let at = hashOf(this.entries, firstDigit(this.entries, start, end), end) & mask;
    for (let tries = 0; this.#slots[at] !== 0; tries += 1) {
      // otherwise the work would be quadratic
      if (tries === mostTries) throw new Error("too many entries have the same serial number");
      at = (at + 1) & mask;
    }
    this.#slots[at] = position;
  }
}

/** A serial number as Node writes it: upper-case hexadecimal without leading zero bytes. */
export const serialText = (content: Buffer): string =>
  content
    .subarray(firstDigit(content, 0, content.length))
    .toString("hex")
    .toUpperCase();

/** The position of the first byte that is not zero, or of the last one. */
function firstDigit(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end - 1 && bytes[at] === 0) at += 1;
  return at;
}

/** Visits the position of each entry. */
async function eachInTurns(entries: Buffer, visit: (position: number) => void): Promise<void> {
  const { start, end } = boundsOf(entries, 0);
  let count = 0;
  for (let at = start; at < end; at = boundsOf(entries, at).end) {
    visit(at);
    count += 1;
    if (count % entriesPerTurn === 0) await turn();
  }
}

// FNV-1a of 32 bits, with the first half mixed into the last bits, which choose the slot
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) {
    hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}
