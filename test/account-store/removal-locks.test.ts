// A removal that comes from another store locks the account of the removed fact, and no other: a
// feeder of this account waits for it, and the feeders of other accounts do not.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { readChangedFacts } from "#src/account-store/changed-facts.ts";
import { type AccountChanges, applyChanges } from "#src/account-store/feed.ts";
import { present } from "#src/lib/assert.ts";
import type { Database } from "#src/storage/database.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { oneConnection } from "#test/accounts/fixture.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { every } from "./every-change.ts";
import { changesAreShown } from "./shown-changes.ts";

type Key = { accountId: string };
type Removed = NonNullable<AccountChanges["removed"]>;

let source: Database;
let copy: Database;
before(async () => {
  source = await openEmpty();
  copy = await openEmpty();
  await createAccountFeed(source).apply(every);
  await createAccountFeed(copy).apply(every);
});
after(async () => {
  await source?.close();
  await copy?.close();
});

// what every kind of fact has, by which a removal names it
const idMembers = {
  holders: "customerId",
  balances: "currency",
  transactions: "transactionId",
  statements: "statementId",
  directDebits: "directDebitId",
  standingOrders: "standingOrderId",
  scheduledPayments: "scheduledPaymentId",
  offers: "offerId",
} as const;
type Kind = keyof typeof idMembers;
const kinds = Object.keys(idMembers) as Kind[]; // the table has no other keys

const removalOf = (kind: Kind) => {
  const [fact] = (every[kind] ?? []) as readonly (Key & Record<string, unknown>)[];
  const { accountId, ...members } = present(fact, kind);
  const id = idMembers[kind];
  return { accountId, [id]: members[id], version: 1_000n };
};

/** Reads all removals of the source, as another store gets them. */
async function readRemovals(): Promise<Record<string, (Key & Record<string, unknown>)[]>> {
  const found: Record<string, (Key & Record<string, unknown>)[]> = {};
  let cursor: string | null = null;
  await changesAreShown(source);
  for (;;) {
    const read: Awaited<ReturnType<typeof readChangedFacts>> = await readChangedFacts(
      source,
      cursor,
      1000,
    );
    const page = present(read, "a known cursor");
    const removed = (page.removed ?? {}) as typeof found;
    for (const [kind, list] of Object.entries(removed)) {
      found[kind] = [...(found[kind] ?? []), ...list];
    }
    if (page.position.cursor === cursor) return found;
    cursor = page.position.cursor;
  }
}

test("a removal of each kind comes with its account", async () => {
  const removed = Object.fromEntries(kinds.map((kind) => [kind, [removalOf(kind)]]));
  await createAccountFeed(source).apply({ removed: removed as Removed });
  const read = await readRemovals();
  for (const kind of kinds) {
    const { version: _, ...expected } = removalOf(kind);
    const { version: _version, ...found } = present(read[kind]?.[0], kind);
    assert.deepEqual(found, expected, kind);
  }
});

test("a removal that an earlier release has stored comes without its account", async () => {
  await source.query(sql`
    insert into removed_fact (entity, key, version) values ('transaction', 'old-line', 5)`);
  const { transactions } = await readRemovals();
  assert.ok(transactions?.some((one) => one.transactionId === "old-line" && one.accountId === ""));
});

async function untilBlocked(): Promise<void> {
  for (;;) {
    const blocked = await first(
      copy,
      sql`select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (blocked) return;
    await setTimeout(5);
  }
}

test("of removals of two accounts, neither waits for the other; a second one of the account does", {
  skip: oneConnection,
}, async () => {
  const [one, other] = ["acc-person", "acc-company"];
  const line = (accountId: string, id: string, version = 2_000n): AccountChanges => ({
    removed: { transactions: [{ accountId, transactionId: id, version }] },
  });
  const feed = createAccountFeed(copy);
  const order: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
  const holding = copy.transaction(async (on) => {
    await applyChanges(on, line(one, "held"));
    lock();
    await released;
  });
  await locked;
  await feed.apply(line(other, "free"));
  order.push("the other account");
  const same = feed.apply(line(one, "same")).then(() => order.push("the same account"));
  await untilBlocked();
  order.push("the end of the first");
  release();
  await Promise.all([holding, same]);
  assert.deepEqual(order, ["the other account", "the end of the first", "the same account"]);
});
