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
  let text = `${prefix}-`;
  // each byte is used once
  for (const end = used + idBytes; used < end; used++) text += alphabet[(random[used] ?? 0) & 31];
  return text;
}

/** A new RFC 4122 UUID, for `x-fapi-interaction-id`. */
export const newUuid = (): string => randomUUID();
