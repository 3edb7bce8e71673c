import { createRandom } from "#src/sandbox/random.ts";

/** Returns a customer's number at the bank: a meaningless number, the same in every sandbox. */
export const partyNumberOf = (name: string): string =>
  String(createRandom(`customer number ${name}`).between(10_000_000, 99_999_999));
