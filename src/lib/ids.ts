import { randomBytes, randomUUID } from "node:crypto";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * A new identifier: `prefix-` and 26 characters (130 random bits, Crockford's base 32, lower case).
 * With a prefix of up to 13 characters it stays within the 40 that the standard allows for ids.
 */
export function newId(prefix: string): string {
  const bytes = randomBytes(26);
  let text = `${prefix}-`;
  for (const byte of bytes) text += alphabet[byte & 31];
  return text;
}

/** A new RFC 4122 UUID, for `x-fapi-interaction-id`. */
export const newUuid = (): string => randomUUID();
