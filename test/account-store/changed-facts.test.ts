// A store that is filled from the changes of another one becomes equal to it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { readChangedFacts } from "#src/account-store/changed-facts.ts";
import { present } from "#src/lib/assert.ts";
import type { Database } from "#src/storage/database.ts";
import { onPostgres } from "#test/postgres.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { shownFacts } from "#test/second-bank/shown-facts.ts";
import { every, more, rowsOf, tables } from "./every-change.ts";
import { changesAreShown } from "./shown-changes.ts";

let source: Database;
let copy: Database;
before(async () => {
  [source, copy] = [await openEmpty(), await openEmpty()];
  const feed = createAccountFeed(source);
  await feed.apply(every);
  await feed.apply(more);
});
after(async () => {
  await source?.close();
  await copy?.close();
});

async function* oneLine(line: string): AsyncGenerator<string> {
  yield line;
}

/** Copies the changes in small pages. Returns the kinds of facts of each page, and the cursor. */
async function copyChanges(): Promise<{ pages: string[][]; cursor: string }> {
  await changesAreShown(source);
  const feed = createAccountFeed(copy);
  const pages: string[][] = [];
  for (;;) {
    const after = await feed.cursor();
    const changes = present(await readChangedFacts(source, after, 3), "the cursor is known");
    const { position, ...facts } = changes;
    const { refused } = await feed.load(oneLine(JSON.stringify(changes)), {
      onProgress: (_, left) => assert.deepEqual(left, []),
    });
    assert.equal(refused, 0);
    pages.push(Object.keys(facts));
    // on a server, the cursor counts the transactions of all databases, and so those of the copy
    if (Object.keys(facts).length === 0) return { pages, cursor: position.cursor };
  }
}

// a feed keeps its own cursor, and nothing here is delivered up to a time
const compared = tables.filter((table) => table !== "feed_source");

async function assertEqual(): Promise<void> {
  const [stored, expected] = [await rowsOf(copy), await rowsOf(source)];
  for (const table of compared) assert.deepEqual(stored[table], expected[table], table);
}

test("every member of every fact is copied, in pages", async () => {
  const { pages } = await copyChanges();
  assert.ok(pages.length > 14, "there are several pages");
  await assertEqual();
  const rows = await rowsOf(copy);
  for (const table of compared) assert.ok((rows[table] ?? []).length > 0, `${table} has rows`);
});

test("if nothing has changed, the answer has no facts and the same cursor", async () => {
  const { pages, cursor } = await copyChanges();
  assert.deepEqual(pages, [[]]);
  const { position, ...facts } = (await readChangedFacts(source, cursor, 3)) ?? {};
  assert.deepEqual(facts, {});
  if (!onPostgres) assert.deepEqual(position, { cursor });
});

test("later only what has changed is copied, with removals", async () => {
  const payee = present(shownFacts.beneficiaries?.[0] ?? every.beneficiaries?.[0], "a payee");
  const balances = present(shownFacts.balances?.[0], "balances");
  await createAccountFeed(source).apply({
    balances: [{ ...balances, version: 50n }],
    removed: { beneficiaries: [{ beneficiaryId: payee.beneficiaryId, version: 50n }] },
  });
  const { pages } = await copyChanges();
  assert.deepEqual(
    pages.filter((kinds) => kinds.length > 0),
    [["balances"], ["removed"]],
  );
  await assertEqual();
});

test("an account that changes again after the first page comes before the facts that name it", async () => {
  const feed = createAccountFeed(source);
  const [product] = every.products ?? [];
  const account = { ...present(shownFacts.accounts?.[0], "an account"), accountId: "late-account" };
  const numbers = { sortCodeAccountNumber: null, iban: null, secondaryIdentification: null };
  const holder = { ...present(shownFacts.holders?.[0], "a holder"), accountId: "late-account" };
  await feed.apply({
    products: [{ ...present(product, "a product"), version: 60n }],
    accounts: [{ ...account, ...numbers, version: 60n }],
    holders: [{ ...holder, version: 60n }],
  });
  await changesAreShown(source);
  const copied = createAccountFeed(copy);
  const before = await copied.cursor();
  // the first page fixes the window
  const page = present(await readChangedFacts(source, before, 1), "the cursor is known");
  assert.deepEqual(Object.keys(page), ["products", "position"]);
  await copied.load(oneLine(JSON.stringify(page)));
  await feed.apply({
    accounts: [{ ...account, ...numbers, nickname: "Later", version: 61n }],
  });
  await copyChanges();
  await assertEqual();
});

/** Stores the first page of the changes, which fixes the window, and returns its kinds. */
async function copyFirstPage(): Promise<string[]> {
  await changesAreShown(source);
  const copied = createAccountFeed(copy);
  const page = present(await readChangedFacts(source, await copied.cursor(), 1), "a page");
  await copied.load(oneLine(JSON.stringify(page)));
  return Object.keys(page);
}

test("an account that moves to a new product and company after the first page comes with both", async () => {
  const feed = createAccountFeed(source);
  const product = present(every.products?.[0], "a product");
  const party = present(shownFacts.parties?.[0], "a party");
  const known = present(shownFacts.accounts?.[0], "an account");
  const holder = present(shownFacts.holders?.[0], "a holder");
  const account = { ...known, accountId: "moved-account", sortCodeAccountNumber: null };
  await feed.apply({
    products: [{ ...product, version: 70n }],
    accounts: [{ ...account, version: 70n }],
    holders: [{ ...holder, accountId: "moved-account", version: 70n }],
  });
  assert.deepEqual(await copyFirstPage(), ["products", "position"]);
  // their keys sort before the page's, and their transactions come after the window
  const productId = "0-new-product";
  await feed.apply({
    products: [{ ...product, productId, version: 71n }],
    parties: [{ ...party, partyId: "0-new-company", version: 71n }],
    accounts: [{ ...account, productId, companyId: "0-new-company", version: 71n }],
  });
  await copyChanges();
  await assertEqual();
});

test("an account whose number a closed or a removed account has had comes after that", async () => {
  const feed = createAccountFeed(source);
  const known = present(shownFacts.accounts?.[0], "an account");
  const holder = present(shownFacts.holders?.[0], "a holder");
  const numbered = (accountId: string, number: string, version: bigint) => ({
    ...known,
    accountId,
    sortCodeAccountNumber: `200015${number}`,
    version,
  });
  const old = [numbered("z-closed", "11111111", 80n), numbered("z-removed", "22222222", 80n)];
  await feed.apply({ accounts: old });
  await copyChanges();
  const next = [numbered("a-first", "11111111", 81n), numbered("a-second", "22222222", 81n)];
  const closed = { ...present(old[0], "the closed account"), status: "Deleted" as const };
  await feed.apply({ removed: { accounts: [{ accountId: "z-removed", version: 81n }] } });
  await feed.apply({
    accounts: [...next, { ...closed, version: 81n }],
    holders: next.map(({ accountId }) => ({ ...holder, accountId, version: 81n })),
  });
  await copyChanges();
  await assertEqual();
});

test("the cursor of a database that was made anew begins again", async () => {
  const changes = await readChangedFacts(source, "999999999 999999999 0 ", 3);
  assert.deepEqual(Object.keys(changes ?? {}), ["removed", "position"]);
});

test("a cursor may have a key of 300 characters", async () => {
  assert.ok(await readChangedFacts(source, `1 2 0 ${"k".repeat(300)}`, 3));
});

const wrongCursors: [title: string, cursor: string][] = [
  ["is no cursor", "log 7"],
  ["has a NUL in its key", "1 2 0 a\0b"],
  ["has a number above those that PostgreSQL has", "0 9223372036854775808 0 "],
  ["has a number of twenty digits twice", "99999999999999999999 99999999999999999999 0 "],
  ["begins after its end", "2 1 0 "],
  ["has a kind above the last", "1 2 99 "],
  ["ends after all transactions of the database", "1 999999999 0 "],
];
for (const [title, cursor] of wrongCursors) {
  test(`a text that ${title} is not understood`, async () => {
    assert.equal(await readChangedFacts(source, cursor, 3), null);
  });
}

test("the cursor after the last kind of facts is understood", async () => {
  const last = present(await readChangedFacts(source, null, 1_000_000), "the beginning");
  const cursors = [last.position.cursor];
  for (;;) {
    const after = cursors.at(-1) ?? null;
    const page = present(await readChangedFacts(source, after, 1_000_000), `${after}`);
    if (page.position.cursor === after) break;
    cursors.push(page.position.cursor);
  }
  assert.ok(cursors.length > 10);
});
