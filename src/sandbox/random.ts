/** A stream of pseudo-random numbers. The same seed gives the same stream on every machine. */
export type Random = {
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from `least` to `most`, inclusive. */
  between(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
};

/** Starts the stream of a seed (mulberry32 over an FNV-1a hash). */
export function createRandom(seed: string): Random {
  let state = 0x811c9dc5;
  for (const character of seed) {
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    // safe: the index is within the array, which callers do not leave empty
    pick: <T>(items: readonly T[]) => items[between(0, items.length - 1)] as T,
  };
}
