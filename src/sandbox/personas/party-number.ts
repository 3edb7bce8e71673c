import { createRandom } from "./random.ts";

/** A customer's number with the bank: it means nothing, and is the same in every sandbox. */
export const partyNumberOf = (name: string): string =>
  String(createRandom(`customer number ${name}`).between(10_000_000, 99_999_999));
