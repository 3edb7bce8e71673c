import assert from "node:assert/strict";

// words that customers and TPPs chose, which the pages show as they are
const names = /(?:Amara|Ben|Chloe)'s/g;

/** The words with a straight apostrophe in the markup or the text of a page. */
const straight = (page: string): string[] =>
  page
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&#39;", "'")
    .replaceAll(names, "")
    .match(/\S*\p{L}'\S*/gu) ?? [];

/** Fails if a customer's page has a straight apostrophe: banks print ’. */
export const assertTypeset = (page: string, name = ""): void =>
  assert.deepEqual(straight(page), [], name);
