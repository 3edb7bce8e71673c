import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { type Database, sqlState } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { insertAccounts } from "#test/payments/execution/orders.ts";
import { fundsOf, openEmpty } from "./empty-bank.ts";

let database: Database;
before(async () => {
  database = await openEmpty();
  await insertAccounts(database, { accounts: 2, balanceMinor: 1_000n });
  await database.query(sql`
    insert into ledger_account (account_id, kind, currency) values ('euros', 'internal', 'EUR')`);
});
after(() => database.close());

const checkViolation = "23514";
const noSuchRow = "23503";

const refused = (statement: Sql, state = checkViolation): Promise<void> =>
  assert.rejects(database.query(statement), (error) => {
    assert.equal(sqlState(error), state);
    return true;
  });

const posting = (from: string, to: string, amount: number, currency = "GBP") => sql`
  insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
    booked_at, purpose)
  values (${`${from} ${to} ${amount} ${currency}`}, ${from}, ${to}, ${amount}, ${currency},
    '2026-01-01T00:00:00Z', 'test')`;

const hold = (id: string, account: string, amount: number) => sql`
  insert into hold (hold_id, account_id, amount_minor, purpose, created_at)
  values (${id}, ${account}, ${amount}, 'payment', '2026-01-01T00:00:00Z')`;

test("a posting moves both balances by the same amount", async () => {
  await database.query(posting("account-1", "account-2", 100));
  assert.deepEqual(
    [await fundsOf(database, 1), await fundsOf(database, 2)],
    [
      [900, 0],
      [1_100, 0],
    ],
  );
});

test("a posting that would take an account below its limit is refused", async () => {
  await refused(posting("account-1", "account-2", 901));
  assert.deepEqual(await fundsOf(database, 1), [900, 0]);
});

test("a posting between currencies, to nowhere, to itself or of nothing is refused", async () => {
  await refused(posting("account-1", "euros", 1));
  await refused(posting("account-1", "account-2", 1, "EUR"));
  await refused(posting("account-1", "nowhere", 1));
  await refused(posting("account-1", "account-1", 1));
  await refused(posting("account-1", "account-2", 0));
  await refused(posting("account-1", "account-2", -5));
});

test("postings cannot be changed, deleted or truncated, and ledger accounts cannot be deleted", async () => {
  await refused(sql`update posting set amount_minor = 1`);
  await refused(sql`delete from posting`);
  await refused(sql`truncate posting`);
  await refused(sql`delete from ledger_account where account_id = 'euros'`);
});

test("holds never exceed the available funds, and cannot be changed", async () => {
  await database.query(hold("h1", "account-1", 500));
  assert.deepEqual(await fundsOf(database, 1), [900, 500]);
  await refused(hold("h2", "account-1", 401));
  await refused(posting("account-1", "account-2", 401));
  await refused(sql`update hold set amount_minor = 1`);
  await database.query(sql`delete from hold where hold_id = 'h1'`);
  assert.deepEqual(await fundsOf(database, 1), [900, 0]);
});

test("holds and entries for an unknown account are refused, and an account with entries cannot be deleted", async () => {
  const line = (id: string, account: string) => sql`
    insert into account_transaction (account_id, booked_at, transaction_id, indicator, status,
      version, amount_minor, currency)
    values (${account}, '2026-01-01T00:00:00Z', ${id}, 'Credit', 'Booked', 1, 1, 'GBP')`;
  await refused(hold("h3", "nowhere", 1), noSuchRow);
  await refused(line("t1", "nowhere"), noSuchRow);
  await database.query(line("t2", "account-2"));
  await refused(sql`delete from account where account_id = 'account-2'`);
});

test("a payment can be posted once and returned once", async () => {
  const paid = (id: string, purpose: string) => sql`
    insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
      booked_at, payment_id, purpose)
    values (${id}, 'account-1', 'account-2', 1, 'GBP', '2026-01-01T00:00:00Z', 'pay', ${purpose})`;
  await database.query(paid("p1", "payment"));
  await refused(paid("p2", "payment"), "23505");
  await database.query(paid("p3", "payment-return"));
  await refused(paid("p4", "payment-return"), "23505");
});

const shownOf = async (n: number): Promise<(bigint | undefined)[]> => {
  const [row] = await database.query<{ booked: bigint; available: bigint }>(sql`
    select booked_minor as booked, available_minor as available from account_balance
    where account_id = ${`account-${n}`}`);
  return [row?.booked, row?.available];
};

test("customers see the balances that postings and holds leave, and nothing of a rollback", async () => {
  const before = await shownOf(1);
  const funds = await fundsOf(database, 1);
  assert.deepEqual(before, [BigInt(funds[0] ?? 0), BigInt(funds[0] ?? 0)]);
  const [booked = 0n] = before;
  const undone = database.transaction(async (on) => {
    await on.query(posting("account-1", "account-2", 33));
    await on.query(hold("h5", "account-1", 44));
    throw new Error("the payment fails");
  });
  await assert.rejects(undone, /the payment fails/);
  assert.deepEqual(await shownOf(1), before);
  await database.query(hold("h5", "account-1", 44));
  assert.deepEqual(await shownOf(1), [booked, booked - 44n]);
  await database.query(posting("account-1", "account-2", 33));
  assert.deepEqual(await shownOf(1), [booked - 33n, booked - 77n]);
  await database.query(sql`delete from hold where hold_id = 'h5'`);
  assert.deepEqual(await shownOf(1), [booked - 33n, booked - 33n]);
});

test("the posting of a payment releases the payment's hold", async () => {
  await database.query(hold("pay-held", "account-1", 50));
  const [bookedBefore = 0] = await fundsOf(database, 1);
  await database.query(sql`
    insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
      booked_at, payment_id, purpose)
    values ('p5', 'account-1', 'account-2', 50, 'GBP', '2026-01-01T00:00:00Z', 'pay-held',
      'payment')`);
  assert.deepEqual(await fundsOf(database, 1), [bookedBefore - 50, 0]);
  assert.deepEqual(await database.query(sql`select from hold where hold_id = 'pay-held'`), []);
});

test("an account whose limit changes shows the new credit line", async () => {
  const limit = (minor: number) =>
    database.query(sql`
      update ledger_account set overdraft_limit_minor = ${minor} where account_id = 'account-1'`);
  const lines = () =>
    database.query(sql`
      select credit_lines as lines from account_balance where account_id = 'account-1'`);
  await limit(500);
  assert.deepEqual(await lines(), [
    {
      lines: [
        { type: "Available", isIncluded: false, amountMinor: "500" },
        { type: "PreAgreed", isIncluded: false, amountMinor: "500" },
      ],
    },
  ]);
  await limit(0);
  assert.deepEqual(await lines(), [{ lines: null }]);
});

test("verify names each invariant that was broken by going around the triggers", async () => {
  const before = new Set((await verifyInvariants(database)).map(({ invariant }) => invariant));
  assert.ok(!before.has("postings balance"));
  assert.ok(!before.has("a balance is the sum of its postings"));
  assert.ok(!before.has("the held amount is the sum of the holds"));
  await database.query(sql`
    update ledger_account set balance_minor = balance_minor + 7, held_minor = held_minor + 3
    where account_id = 'account-2'`);
  const breaches = await verifyInvariants(database);
  const found = (name: string) => breaches.filter(({ invariant }) => invariant === name);
  assert.deepEqual(found("postings balance"), [
    { invariant: "postings balance", subject: "GBP", expected: "0", found: "7" },
  ]);
  assert.equal(found("a balance is the sum of its postings")[0]?.subject, "account-2");
  assert.equal(found("the held amount is the sum of the holds")[0]?.subject, "account-2");
});
