import { assert } from "#src/lib/assert.ts";
import { seeded } from "#test/payments/execution/lives.ts";

/** Random choices. A seed always gives the same ones. */
export type Draw = {
  /** Returns an integer from 0 to below the limit. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
};

/** Makes the choices of one request. Its number is part of the seed. */
export function createDraw(seed: number, number = 0): Draw {
  const next = seeded(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick<T>(from: readonly T[]): T {
      assert(from.length > 0, "there is something to choose from");
      return from[below(from.length)] as T; // the index is below the length
    },
  };
}
