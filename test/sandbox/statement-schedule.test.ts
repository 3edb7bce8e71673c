import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeDueStatements } from "#src/sandbox/bank/statements.ts";
import { sql } from "#src/storage/sql.ts";
import { bookPending } from "#test/account-store/change-accounts.ts";
import { AccountsBank } from "#test/accounts/fixture.ts";

let bank: AccountsBank;
before(async () => {
  bank = await AccountsBank.open();
});
after(() => bank?.close());

/** Makes the statements due at a time. Returns the months of the account's statements. */
async function monthsAt(time: string, accountId: string): Promise<string[]> {
  await makeDueStatements(bank.database, Temporal.Instant.from(time));
  const rows = await bank.database.query<{ month: string }>(sql`
    select to_char(starts_at at time zone 'UTC', 'YYYY-MM') as month from account_statement
    where account_id = ${accountId} order by starts_at`);
  return rows.map(({ month }) => month);
}

test("an account that opens without transactions gets statements from its first transaction on", async () => {
  const accountId = await bank.addAccount(await bank.addCustomer());
  assert.deepEqual(await monthsAt("2020-01-10T10:00:00Z", accountId), []);
  assert.deepEqual(await monthsAt("2020-02-01T06:00:00Z", accountId), []);
  await bank.addTransactions(accountId, [{ at: "2020-02-20T10:00:00Z" }]);
  assert.deepEqual(await monthsAt("2020-03-01T05:59:59Z", accountId), []);
  assert.deepEqual(await monthsAt("2020-03-01T06:00:00Z", accountId), ["2020-02"]);
  assert.deepEqual(await monthsAt("2020-04-01T06:00:00Z", accountId), ["2020-02", "2020-03"]);
});

test("an account that opens with old transactions gets all its statements immediately", async () => {
  const accountId = await bank.addAccount(await bank.addCustomer());
  await bank.addTransactions(accountId, [{ at: "2020-02-20T10:00:00Z" }]);
  assert.deepEqual(await monthsAt("2020-04-20T10:00:00Z", accountId), ["2020-02", "2020-03"]);
});

test("an account stays due until its pending transaction is booked", async () => {
  const accountId = await bank.addAccount(await bank.addCustomer());
  await bank.addTransactions(accountId, [{ at: "2020-05-20T10:00:00Z", status: "Pending" }]);
  assert.deepEqual(await monthsAt("2020-06-02T10:00:00Z", accountId), []);
  await bookPending(bank.database, accountId);
  assert.deepEqual(await monthsAt("2020-06-02T10:01:00Z", accountId), ["2020-05"]);
});
