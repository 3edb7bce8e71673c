import assert from "node:assert/strict";

/** What a page says to the eye, and to those who listen to it. */
function wordsOf(page: string): string {
  const heard = page.matchAll(/\s(?:aria-label|alt|title|placeholder)="([^"]*)"/g);
  return [...[...heard].map(([, text]) => text), page.replaceAll(/<[^>]*>/g, " ")].join(" ");
}

/** Where a page names a code that a customer enters, each with the words around it. */
export function codesNamedOn(page: string): string[] {
  const words = wordsOf(page)
    .replaceAll(/\b(?:sort|QR) codes?\b/gi, "")
    .replaceAll(/\s+/g, " ");
  return words.match(/.{0,40}\b(?:pass)?codes?\b.{0,40}/gi) ?? [];
}

/** Fails if a page names a code to a customer who has none. */
export const assertNoCodes = (page: string): void => assert.deepEqual(codesNamedOn(page), []);
