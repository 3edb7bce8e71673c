import { createHmac, timingSafeEqual } from "node:crypto";

/** The token that a journey's forms carry: only the bank can make it, and for one journey. */
export const csrfToken = (secret: string, uid: string): string =>
  createHmac("sha256", secret).update(uid).digest("base64url");

/** Whether a form carried the token of its journey; compared in constant time. */
export function isCsrfToken(secret: string, uid: string, given: string | null): boolean {
  const expected = Buffer.from(csrfToken(secret, uid));
  const actual = Buffer.from(given ?? "");
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
