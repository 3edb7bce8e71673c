import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type AccountFeed, createAccountFeed } from "#src/account-store/account-feed.ts";
import { listOldestDeliveries } from "#src/account-store/freshness.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { shownFacts } from "#test/second-bank/shown-facts.ts";

// How far a source has got: one cursor and one mark, in the transaction of the facts.

let database: Database;
let feed: AccountFeed;
before(async () => {
  database = await openEmpty();
  feed = createAccountFeed(database);
});
after(() => database?.close());

const at = (time: string): Temporal.Instant => Temporal.Instant.from(time);
const [account] = shownFacts.accounts ?? [];
const accountId = account?.accountId ?? "";
const [transaction] = shownFacts.transactions ?? [];
const oldestOf = async (wanted: string): Promise<string | undefined> =>
  (await listOldestDeliveries(database)).find(({ cluster }) => cluster === wanted)?.asOf.toString();

test("a source without a stored call has no cursor", async () => {
  assert.equal(await feed.cursor(), null);
  assert.equal(await feed.cursor("cards"), null);
});

test("the cursor is stored with the facts, for each source", async () => {
  await feed.apply(shownFacts, { cursor: "log 17" });
  await feed.apply({}, { source: "cards", cursor: "page 3" });
  assert.equal(await feed.cursor(), "log 17");
  assert.equal(await feed.cursor("cards"), "page 3");
  await feed.apply({ accounts: account ? [account] : [] });
  assert.equal(await feed.cursor(), "log 17", "a call without a cursor leaves it");
});

test("if the database fails, neither the facts nor the cursor are stored", async () => {
  assert.ok(transaction);
  const lost = { ...transaction, transactionId: "lost" };
  const failing: Database = {
    ...database,
    query: (statement) => database.query(statement),
    transaction: (work) =>
      database.transaction(async (on) => {
        await work(on);
        throw new Error("the connection is lost before the commit");
      }),
  };
  const call = createAccountFeed(failing).apply({ transactions: [lost] }, { cursor: "log 18" });
  await assert.rejects(call, /the connection is lost/);
  assert.equal(await feed.cursor(), "log 17");
  const stored = await database.query(sql`
    select transaction_id from account_transaction where transaction_id = 'lost'`);
  assert.deepEqual(stored, []);
});

test("changes that were read after another cursor than the store's are not stored, nor is their cursor", async () => {
  assert.ok(transaction);
  const late = { ...transaction, transactionId: "late" };
  for (const after of ["log 16", null]) {
    await assert.rejects(
      feed.apply({ transactions: [late] }, { cursor: "log 18", after }),
      (error: Error) =>
        error.name === "CursorMoved" && /the source core is not/.test(error.message),
    );
  }
  assert.equal(await feed.cursor(), "log 17");
  const stored = await database.query(sql`
    select transaction_id from account_transaction where transaction_id = 'late'`);
  assert.deepEqual(stored, []);
});

test("changes that were read after the store's cursor are stored with theirs", async () => {
  await assert.rejects(feed.apply({}, { source: "new", cursor: "1", after: "0" }), /cursor/);
  assert.equal(await feed.cursor("new"), null);
  await feed.apply({}, { source: "new", cursor: "1", after: null });
  await feed.apply({}, { source: "new", cursor: "2", after: "1" });
  assert.equal(await feed.cursor("new"), "2");
});

test("one mark makes every cluster that the source has delivered current", async () => {
  const delivered = (["balances", "transactions"] as const).map((cluster) => ({
    accountId,
    cluster,
    asOf: at("2026-11-21T10:00:00Z"),
  }));
  await feed.apply({ delivered });
  assert.equal(await oldestOf("transactions"), "2026-11-21T10:00:00Z");
  const rows = await database.query(sql`select ctid::text from account_freshness`);
  await feed.apply({}, { deliveredUpTo: at("2026-11-21T12:00:00Z") });
  assert.equal(await oldestOf("transactions"), "2026-11-21T12:00:00Z");
  assert.equal(await oldestOf("balances"), "2026-11-21T12:00:00Z");
  const after = await database.query(sql`select ctid::text from account_freshness`);
  assert.deepEqual(after, rows, "no row of an account is written");
});

test("the mark only moves forward, and that of another source does not count", async () => {
  await feed.apply({}, { deliveredUpTo: at("2026-11-21T11:00:00Z") });
  await feed.apply({}, { source: "cards", deliveredUpTo: at("2026-11-21T15:00:00Z") });
  assert.equal(await oldestOf("balances"), "2026-11-21T12:00:00Z");
});

test("an account's own delivery counts if it is later than the mark", async () => {
  const asOf = at("2026-11-21T13:00:00Z");
  await feed.apply({ delivered: [{ accountId, cluster: "balances", asOf }] });
  assert.equal(await oldestOf("balances"), "2026-11-21T13:00:00Z");
});

test("a number that moves from one account to another in one call is stored, even if another fact is refused", async () => {
  assert.ok(account && transaction);
  const number = { sortCodeAccountNumber: "20001599990000", iban: null };
  const old = { ...account, accountId: "z-old", ...number, secondaryIdentification: null };
  await feed.apply({ accounts: [old] });
  const stranger = { ...transaction, transactionId: "stranger", accountId: "nobody" };
  const { refused } = await feed.apply({
    accounts: [
      { ...old, accountId: "a-new" },
      { ...old, status: "Deleted", version: old.version + 1n },
    ],
    transactions: [stranger],
  });
  assert.deepEqual(
    refused.map(({ kind, key }) => [kind, key]),
    [["transactions", "stranger"]],
  );
});

for (const [position, message] of [
  [{ source: "two words" }, /source must be 1 to 40 ASCII characters/],
  [{ cursor: "x".repeat(1001) }, /cursor must be a text of 1 to 1,000/],
  [{ after: "x".repeat(1001) }, /after must be a text of up to 1,000/],
  [{ cursor: "" }, /cursor must be a text of 1 to 1,000/],
  [{ cursor: "a\0b" }, /cursor must be a text .* without NUL/],
  [{ after: "a\ud800" }, /after must be a text .* without NUL/],
  [{ deliveredUpTo: "2026" as unknown as Temporal.Instant }, /must be a Temporal.Instant/],
] as const) {
  test(`a position is refused in words (${message.source}, ${JSON.stringify(position).length})`, async () => {
    await assert.rejects(feed.apply({}, position), message);
  });
}

test("the cursor of a source with a wrong name is refused in words", async () => {
  await assert.rejects(feed.cursor("a\0b"), /source must be 1 to 40 ASCII characters/);
});

test("a chain of accounts that take over each other's numbers is stored in one call", async () => {
  const [account] = shownFacts.accounts ?? [];
  assert.ok(account);
  const numbers = ["1", "2", "3", "4"].map((end) => `6083711000009${end}`);
  const of = (index: number, sortCodeAccountNumber: string | undefined, version: bigint) => ({
    ...account,
    ...{ accountId: `chain-${index}`, version },
    sortCodeAccountNumber: sortCodeAccountNumber ?? null,
  });
  const first = await feed.apply({ accounts: numbers.map((number, n) => of(n, number, 1n)) });
  assert.deepEqual(first.refused, []);
  // each takes the number of the next one, which still has it: only the removal comes first
  const { refused } = await feed.apply({
    accounts: [0, 1, 2].map((n) => of(n, numbers[n + 1], 2n)),
    removed: { accounts: [{ accountId: "chain-3", version: 2n }] },
  });
  assert.deepEqual(refused, []);
});
