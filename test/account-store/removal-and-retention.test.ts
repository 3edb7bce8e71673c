// Accounts and products can be removed like any other fact, and facts have periods of retention.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type AccountFeed, createAccountFeed } from "#src/account-store/account-feed.ts";
import type { AccountFact, ProductFact, Versioned } from "#src/account-store/facts.ts";
import type { AccountChanges } from "#src/account-store/feed.ts";
import { purgeFacts, retentionMistakes } from "#src/account-store/retention.ts";
import type { TransactionFact } from "#src/account-store/transaction.ts";
import { present } from "#src/lib/assert.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { AccountsBank } from "#test/accounts/fixture.ts";
import { createChangeReader } from "#test/history/change-reader.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { shownFacts } from "#test/second-bank/shown-facts.ts";
import { countRead } from "#test/storage/rows-read.ts";

let database: Database;
let bank: AccountsBank;
let feed: AccountFeed;
before(async () => {
  database = await openEmpty();
  bank = await AccountsBank.over(database);
  feed = createAccountFeed(database);
});
after(() => bank?.close());

const template = present(shownFacts.accounts?.[0], "an account");
const line = present(shownFacts.transactions?.[0], "a transaction");
const customerId = present(shownFacts.holders?.[0], "a holder").customerId;

const account = (accountId: string, more: Partial<AccountFact> = {}): Versioned<AccountFact> => ({
  ...template,
  accountId,
  sortCodeAccountNumber: null,
  iban: null,
  productId: "plain",
  ...more,
});
const product: Versioned<ProductFact> = {
  version: 1n,
  productId: "plain",
  name: "Plain",
  details: { ProductName: "Plain", ProductType: "PersonalCurrentAccount" },
  purchaseRate: null,
};
const booked = (accountId: string, id: string, at: string): TransactionFact => ({
  ...line,
  accountId,
  transactionId: id,
  bookedAt: Temporal.Instant.from(at),
});
const apply = async (changes: AccountChanges): Promise<void> => {
  const { refused } = await feed.apply(changes);
  assert.deepEqual(refused, []);
};

/** Every fact of the second bank, for another account. */
async function storeAccount(accountId: string): Promise<string> {
  await apply({
    products: [product],
    accounts: [account(accountId)],
    holders: [{ version: 1n, accountId, customerId, role: "owner" }],
    balances: (shownFacts.balances ?? []).map((one) => ({ ...one, accountId })),
    transactions: [booked(accountId, `${accountId}-1`, "2026-01-10T10:00:00Z")],
    statements: (shownFacts.statements ?? []).map((one) => ({
      ...one,
      accountId,
      statementId: `${accountId}-statement`,
    })),
    directDebits: (shownFacts.directDebits ?? []).map((one) => ({
      ...one,
      accountId,
      directDebitId: `${accountId}-debit`,
    })),
    delivered: [{ accountId, cluster: "balances", asOf: bank.now }],
  });
  const { token } = await bank.addConsent({ customerId, accountIds: [accountId] });
  return token;
}

/** The tables of the store that name the account, with the number of its rows. */
async function rowsOf(accountId: string): Promise<string[]> {
  const tables = await database.query<{ name: string }>(sql`
    select table_name as name from information_schema.columns
    where column_name = 'account_id' and table_schema = 'public' and table_name in (
      select conrelid::regclass::text from pg_constraint where confrelid = 'account'::regclass
      union all values ('account'), ('account_transaction')) order by 1`);
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await database.query<{ count: number }>({
      text: `select count(*)::integer as count from ${name} where account_id = $1`,
      values: [accountId],
    });
    if (row && row.count > 0) found.push(name);
  }
  return found;
}

test("an account is removed with all its facts, and TPPs no longer find it", async () => {
  const token = await storeAccount("whole");
  assert.equal((await bank.get("/accounts/whole", token)).status, 200);
  const full = await rowsOf("whole");
  for (const table of ["account", "account_holder", "account_balance", "account_transaction"]) {
    assert.ok(full.includes(table), table);
  }
  await apply({ removed: { accounts: [{ accountId: "whole", version: template.version }] } });
  assert.deepEqual(await rowsOf("whole"), full, "an old removal changes nothing");
  await apply({ removed: { accounts: [{ accountId: "whole", version: 9n }] } });
  assert.deepEqual(await rowsOf("whole"), []);
  const gone = await bank.get("/accounts/whole", token);
  assert.equal(gone.status, 400);
  assert.match(gone.text, /There is no account with this id/);
  const list = await bank.get("/accounts", token);
  assert.deepEqual(list.body.Data.Account, []);
  const changes = await createChangeReader(database)();
  const last = changes.findLast(({ objectId }) => objectId === "whole");
  assert.equal((last?.after as { status?: string } | undefined)?.status, "Deleted");
});

test("an older version of a removed account is dropped, and a newer one opens it again", async () => {
  await storeAccount("again");
  await apply({ removed: { accounts: [{ accountId: "again", version: 9n }] } });
  await apply({ accounts: [account("again", {})] });
  assert.deepEqual(await rowsOf("again"), []);
  const { refused } = await feed.apply({
    transactions: [booked("again", "again-2", "2026-02-10T10:00:00Z")],
  });
  assert.match(present(refused[0], "a refusal").rule, /the store does not have/);
  await apply({ accounts: [{ ...account("again"), version: 10n }] });
  assert.deepEqual(await rowsOf("again"), ["account"]);
});

test("a product is removed once no account has it", async () => {
  await apply({ products: [{ ...product, productId: "brief" }] });
  await apply({ accounts: [account("on-brief", { productId: "brief" })] });
  const removal = { removed: { products: [{ productId: "brief", version: 2n }] } };
  const { refused } = await feed.apply(removal);
  assert.deepEqual(refused, [
    {
      kind: "removed products",
      key: "brief",
      path: "",
      rule: "must fit what is stored: other facts still name it",
    },
  ]);
  await apply({ removed: { accounts: [{ accountId: "on-brief", version: 9n }] } });
  await apply(removal);
  const left = await database.query(sql`select name from product where product_id = 'brief'`);
  assert.deepEqual(left, []);
});

test("transactions and statements are kept for their periods, and the history starts later", async () => {
  const token = await storeAccount("kept");
  await apply({
    transactions: [
      booked("kept", "kept-2", "2026-03-10T10:00:00Z"),
      booked("kept", "kept-3", "2026-04-10T10:00:00Z"),
    ],
  });
  const now = Temporal.Instant.from("2026-05-01T00:00:00Z");
  await purgeFacts(database, {}, now);
  assert.equal((await rowsOf("kept")).includes("account_transaction"), true);
  await purgeFacts(database, { TRANSACTIONS_KEEP_DAYS: 60, STATEMENTS_KEEP_DAYS: 100_000 }, now);
  const { body } = await bank.get("/accounts/kept/transactions", token);
  const ids = body.Data.Transaction.map((one: { TransactionId: string }) => one.TransactionId);
  assert.deepEqual(ids, ["kept-3", "kept-2"]);
  assert.equal(body.Meta.FirstAvailableDateTime, "2026-03-10T10:00:00Z");
  const statements = async () =>
    (
      await database.query(sql`
        select statement_id from account_statement where account_id = 'kept'`)
    ).length;
  const before = await statements();
  await database.query(sql`
    update account_statement set starts_at = '2020-01-01Z', ends_at = '2020-02-01Z'
    where account_id = 'kept'`);
  await purgeFacts(database, { STATEMENTS_KEEP_DAYS: 365 }, now);
  assert.equal(await statements(), 0, `${before} before`);
});

test("many old transactions are deleted in slices, the oldest of an account first", async () => {
  await storeAccount("sliced");
  await database.query(sql`
    insert into account_transaction (account_id, booked_at, transaction_id, version, indicator,
      status, amount_minor, currency)
    select 'sliced', '2025-01-01Z'::timestamptz + n * interval '1 second', 'old-' || n, 1,
      'Credit', 'Booked', 1, 'GBP' from generate_series(0, 5999) n`);
  const now = Temporal.Instant.from("2026-05-01T00:00:00Z");
  const purge = () => purgeFacts(database, { TRANSACTIONS_KEEP_DAYS: 60 }, now);
  const old = () =>
    database.query<{ count: number }>(sql`
      select count(t.account_id)::integer as count, min(t.booked_at) as first,
        a.history_from as start
      from account a left join account_transaction t on t.account_id = a.account_id
        and t.booked_at < '2026-01-01Z'
      where a.account_id = 'sliced' group by a.history_from`);
  await purge();
  const first = Temporal.Instant.from("2025-01-01T01:23:20Z");
  assert.deepEqual(await old(), [{ count: 1000, first, start: first }]);
  await purge();
  const [left] = await old();
  assert.equal(left?.count, 0);
});

test("a closed account is removed after its period, and an open one stays", async () => {
  await storeAccount("closed");
  await storeAccount("open");
  const closedAt = Temporal.Instant.from("2026-05-01T00:00:00Z");
  const closed = { status: "Deleted" as const, statusUpdatedAt: closedAt };
  await apply({ accounts: [{ ...account("closed", closed), version: 5n }] });
  const day = { hours: 24 };
  await purgeFacts(database, { CLOSED_ACCOUNTS_KEEP_DAYS: 1 }, closedAt.add(day));
  assert.ok((await rowsOf("closed")).includes("account"));
  const later = closedAt.add(day).add({ seconds: 1 });
  await purgeFacts(database, { CLOSED_ACCOUNTS_KEEP_DAYS: 1 }, later);
  assert.deepEqual(await rowsOf("closed"), []);
  assert.ok((await rowsOf("open")).includes("account"));
});

test("the sandbox bank's own ledger has no periods of retention", () => {
  const faults = retentionMistakes({ TRANSACTIONS_KEEP_DAYS: 10 });
  assert.equal(faults.length, 1);
  assert.match(faults[0] ?? "", /^TRANSACTIONS_KEEP_DAYS: the sandbox bank keeps everything/);
  assert.deepEqual(
    retentionMistakes({ TRANSACTIONS_KEEP_DAYS: 10, BANK_MODULE: "/opt/core.mjs" }),
    [],
  );
});

test("forgetting removals does not read those of accounts, which are remembered for good", async () => {
  await database.query(sql`
    insert into removed_fact (entity, key, version, removed_at)
    select 'account', 'gone-' || n, 1, now() - interval '400 days'
    from generate_series(1, 5000) n`);
  await database.query(sql`
    insert into removed_fact (entity, key, version, removed_at)
    values ('product', 'gone', 1, now() - interval '40 days')`);
  await database.execute("analyze removed_fact");
  const read = await database.transaction(async (on) => {
    const before = await countRead(on);
    await purgeFacts({ ...database, query: on.query.bind(on) }, {}, Temporal.Now.instant());
    return (await countRead(on)) - before;
  });
  assert.ok(read < 100, `${read} rows`);
  const left = await database.query(sql`select from removed_fact where key = 'gone'`);
  assert.deepEqual(left, []);
});
