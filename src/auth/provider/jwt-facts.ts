import { decodeJwt, decodeProtectedHeader } from "jose";
import { unverifiedClaims } from "#src/http/signature/unverified-claims.ts";
import { millisecondsText } from "#src/lib/date-time.ts";
import { textOf } from "#src/lib/plain-text.ts";

/** Header and claims of an unverified JWT. */
export type Jwt = { header: Record<string, unknown>; claims: Record<string, unknown> };

/** Splits a JWT into its parts; both are empty if the text is not a JWT. */
export function decode(text: unknown): Jwt {
  try {
    return {
      header: { ...decodeProtectedHeader(textOf(text)) },
      claims: decodeJwt(textOf(text)),
    };
  } catch {
    return { header: {}, claims: {} };
  }
}

/** The claims of an unverified JWT; none if the text is not a JWT. */
export const claimsOf = (text: unknown): Jwt["claims"] => unverifiedClaims(text) ?? {};

/** The `kid` of an unverified JWT; null if it names none. */
export function namedKey(text: unknown): string | null {
  try {
    return decodeProtectedHeader(textOf(text)).kid ?? null;
  } catch {
    return null;
  }
}

/**
 * A NumericDate as text; an impossible date is returned as it was sent, and a date in milliseconds
 * is named as such.
 */
export function instantText(seconds: unknown): string {
  const fault = millisecondsText(seconds);
  if (fault !== null) return `${textOf(seconds)} (${fault})`;
  if (typeof seconds !== "number" || !(Math.abs(seconds) < 8.64e12)) return textOf(seconds);
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(seconds) * 1000).toString();
}
