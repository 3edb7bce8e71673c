import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { rooms } from "#scripts/rooms.ts";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { accountFact, statementFact } from "#test/accounts/facts.ts";
import { transactionFact } from "#test/accounts/stored-transactions.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";

// A bank without the sandbox has the same schema. Its facts must start no work of the sandbox.

let database: Database;
before(async () => {
  database = await openEmpty();
});
after(() => database?.close());

const accountId = "own-core-1";
const at = (text: string) => Temporal.Instant.from(text);

const account = accountFact({ accountId });

const line = (transactionId: string, bookedAt: string) =>
  transactionFact({ accountId, transactionId, bookedAt: at(bookedAt) });

const statement = (month: number) =>
  statementFact({
    accountId,
    statementId: `own-core-${month}`,
    number: month,
    startsAt: at(`2026-0${month}-01T00:00:00Z`),
    endsAt: at(`2026-0${month + 1}-01T00:00:00Z`),
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
