import { hmacSha256, isSameText } from "#src/lib/hash.ts";

/** The tokens that a journey's forms carry: only the bank can make them, each for one journey. */
export type CsrfTokens = {
  tokenOf(uid: string): string;
  /** Whether a form carried the token of its journey; compared in constant time. */
  isToken(uid: string, given: string | null): boolean;
};

/** Makes the tokens of a bank. */
export function createCsrfTokens(secret: string): CsrfTokens {
  const tokenOf = hmacSha256(secret);
  return { tokenOf, isToken: (uid, given) => isSameText(given ?? "", tokenOf(uid)) };
}
