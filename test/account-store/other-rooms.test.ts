import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { rooms } from "#scripts/rooms.ts";
import { type AccountChanges, createAccountFeed } from "#src/account-store/feed.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { transactionFact } from "#test/accounts/stored-transactions.ts";
import { openEmpty } from "#test/bank/empty-bank.ts";

// A bank without the sandbox has the same schema. Its facts must start no work of the sandbox.

let database: Database;
before(async () => {
  database = await openEmpty();
});
after(() => database?.close());

const accountId = "own-core-1";
const version = 1n;
const at = (text: string) => Temporal.Instant.from(text);

const account: NonNullable<AccountChanges["accounts"]>[number] = {
  version,
  accountId,
  accountType: "Personal",
  accountSubType: "CurrentAccount",
  currency: "GBP",
  nickname: null,
  description: null,
  holderName: "Ann Example",
  openedOn: Temporal.PlainDate.from("2019-05-01"),
  status: "Enabled",
  statusUpdatedAt: at("2019-05-01T09:30:00Z"),
  isSwitched: false,
  sortCodeAccountNumber: null,
  iban: null,
  maskedPan: null,
  signatoriesRequired: 1,
  productId: null,
  companyId: null,
  servicer: null,
  statementDeliveries: [],
};

const line = (transactionId: string, bookedAt: string) =>
  transactionFact({ accountId, transactionId, bookedAt: at(bookedAt) });

const statement = (month: number): NonNullable<AccountChanges["statements"]>[number] => ({
  version,
  accountId,
  statementId: `own-core-${month}`,
  number: month,
  startsAt: at(`2026-0${month}-01T00:00:00Z`),
  endsAt: at(`2026-0${month + 1}-01T00:00:00Z`),
  createdAt: at(`2026-0${month + 1}-01T06:00:00Z`),
  periodName: null,
  currency: "GBP",
  currencyKind: null,
  openingMinor: 0n,
  closingMinor: 0n,
  creditsMinor: 0n,
  debitsMinor: 0n,
  creditCount: 0,
  debitCount: 0,
  limitMinor: 0n,
  costs: [],
  minimumPaymentMinor: null,
  paymentDueAt: null,
  rates: [],
});

/** Returns the rows of each table and view outside the account store, as text. */
async function otherRows(): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {};
  for (const [room, { tables = [] }] of Object.entries(rooms)) {
    if (room === "account-store") continue;
    for (const table of tables) {
      const text = `select t::text as row from ${table} t order by 1`;
      rows[table] = await database.query({ text, values: [] });
    }
  }
  return rows;
}

test("facts that a bank feeds change no table outside the account store", async () => {
  const feed = createAccountFeed(database);
  const unchanged = await otherRows();
  assert.ok("sandbox_statement_due" in unchanged);
  await feed.apply({
    accounts: [account],
    transactions: [line("later", "2026-02-10T10:00:00Z")],
    delivered: [{ accountId, cluster: "transactions", asOf: "live" }],
  });
  // the start of the account's history moves back
  await feed.apply({ transactions: [line("earlier", "2026-01-10T10:00:00Z")] });
  await feed.apply({ statements: [statement(1)] });
  await feed.apply({ statements: [statement(2)] });
  const stored = await database.query(sql`
    select (select count(*) from account_transaction)::integer as lines, count(*)::integer as made
    from account_statement`);
  assert.deepEqual(stored, [{ lines: 2, made: 2 }]);
  assert.deepEqual(await otherRows(), unchanged);
});
