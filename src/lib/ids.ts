import { randomFillSync, randomUUID } from "node:crypto";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

const idBytes = 26;
// filled for many ids together, because a few random bytes cost as much as thousands
const random = Buffer.alloc(idBytes * 256);
let used = random.length;

/**
 * A new identifier: `prefix-` and 26 characters (130 random bits, Crockford's base 32, lower case).
 * With a prefix of up to 13 characters it stays within the 40 that the standard allows for ids.
 */
export function newId(prefix: string): string {
  if (used + idBytes > random.length) {
    randomFillSync(random);
    used = 0;
  }
  const text = idFromBytes(prefix, random, used);
  used += idBytes; // each byte is used once
  return text;
}

/** The identifier that consists of the prefix and 26 bytes, five bits of each. */
export function idFromBytes(prefix: string, bytes: Uint8Array, begin = 0): string {
  let text = `${prefix}-`;
  for (let at = begin; at < begin + idBytes; at++) text += alphabet[(bytes[at] ?? 0) & 31];
  return text;
}

/** A new RFC 4122 UUID, for `x-fapi-interaction-id`. */
export const newUuid = (): string => randomUUID();
