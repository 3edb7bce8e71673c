// A customer's data is exported and erased by command: all of it, and nothing of other customers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type { AccountChanges } from "#src/account-store/feed.ts";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import {
  type ErasurePlan,
  eraseCustomer,
  exportCustomer,
  personalTables,
  planErasure,
} from "#src/server/personal-data.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, order, untilStatus } from "#test/journeys/payments.ts";
import { tablesWith } from "#test/storage/tables-with.ts";
import { until } from "#test/until.ts";
import { approved, openOver, readyToPay, type SecondBank, startSecondBank } from "./second-bank.ts";
import { shownFacts } from "./shown-facts.ts";

const ada = "second-ada";
const bob = "second-bob";

let second: SecondBank;
let bank: TestBank;
let client: TppClient;
let database: Database;
/** The ids of Ada, of what is hers, and of what she has given. */
let hers: string[];
let paidOrder: string;
before(async () => {
  second = await startSecondBank();
  bank = await openOver(second);
  ({ database } = bank);
  client = await bank.createTpp();
  const { refused } = await createAccountFeed(database).apply(factsOfBob());
  assert.deepEqual(refused, []);
  const access = await lodgeAccess(client);
  const accounts = ["second-current", "second-joint"];
  const given = { scope: "accounts", consentId: access, customer: "ada", accounts } as const;
  const { access_token: token } = await bank.approve(client, given);
  await client.call({ path: "/v4.0/aisp/transactions", token });
  const { lodged, token: payment } = await approved(bank, client, "41.01");
  paidOrder = await order(client, lodged, payment);
  await untilStatus(client, "domestic-payment", paidOrder, "ACCC");
  hers = [ada, "second-current", access, lodged.consentId, paidOrder];
  await bank.engine.stop();
});
after(async () => {
  await bank?.close();
  await second?.close();
});

/** Bob's account and payee, and the account that he has together with Ada. */
function factsOfBob(): AccountChanges {
  const account = present(shownFacts.accounts?.[0], "an account");
  const balance = present(shownFacts.balances?.[0], "a balance");
  const party = present(shownFacts.parties?.[0], "a party");
  const payee = present(shownFacts.beneficiaries?.[0], "a payee");
  const named = (accountId: string, number: string) => ({
    ...account,
    accountId,
    sortCodeAccountNumber: number,
  });
  const owner = { version: 1n, role: "owner" } as const;
  return {
    parties: [{ ...party, partyId: bob, name: "Bob Quill" }],
    accounts: [named("second-joint", "60837110000004"), named("second-bob", "60837110000005")],
    holders: [
      { ...owner, accountId: "second-joint", customerId: ada, role: "joint" },
      { ...owner, accountId: "second-joint", customerId: bob, role: "joint" },
      { ...owner, accountId: "second-bob", customerId: bob },
    ],
    balances: [
      { ...balance, accountId: "second-joint" },
      { ...balance, accountId: "second-bob" },
    ],
    beneficiaries: [{ ...payee, customerId: bob, beneficiaryId: "payee-of-bob" }],
  };
}

type Exported = { table: string; row: string };

async function exported(customerId = ada): Promise<Exported[]> {
  const rows: Exported[] = [];
  const count = await exportCustomer(database, customerId, (table, row) => {
    rows.push({ table, row });
  });
  assert.equal(count, rows.length);
  return rows;
}

/** Every row of the database but the log of requests, which is written a second later. */
async function dump(on: Queryable): Promise<Set<string>> {
  const tables = await on.query<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name <> 'request_log_chunk'`);
  const all = tables.map(({ name }) => `select '${name} ' || t::text as row from ${name} t`);
  const rows = await on.query<{ row: string }>({ text: all.join(" union all "), values: [] });
  return new Set(rows.map(({ row }) => row));
}

test("an export has rows of each table in which an id of the customer is, and none of others", async () => {
  // requests are logged about a second later
  await until(
    () => tablesWith(database, paidOrder),
    (all) => all.includes("request_log_chunk"),
  );
  const rows = await exported();
  const tables = new Set(rows.map(({ table }) => table));
  for (const id of hers) {
    for (const table of await tablesWith(database, id)) assert.ok(tables.has(table), table);
  }
  assert.ok(tables.size > 20);
  for (const { table, row } of rows) {
    assert.equal(typeof JSON.parse(row), "object", table);
    assert.doesNotMatch(row, /payee-of-bob|Bob Quill"|second-bob/, table);
  }
  assert.deepEqual(await exported("nobody"), []);
});

test("an export keeps whole numbers that a program's numbers cannot hold", async () => {
  const party = present(shownFacts.parties?.[0], "a party");
  const version = 9_007_199_254_740_993n;
  await createAccountFeed(database).apply({ parties: [{ ...party, version }] });
  const row = (await exported()).find(({ table }) => table === "party")?.row;
  assert.match(row ?? "", /"version": 9007199254740993\b/);
});

const goes = personalTables.filter(({ stays }) => stays === null).map(({ table }) => table);

test("a plan says what goes and what stays and why, and changes nothing", async () => {
  const whole = await dump(database);
  const plan = await planErasure(database, ada);
  assert.deepEqual(await dump(database), whole);
  const deleted = plan.deleted.map(({ table }) => table);
  for (const table of ["account", "account_balance", "account_holder", "party", "beneficiary"]) {
    assert.ok(deleted.includes(table), table);
  }
  const kept = new Map(plan.kept.map(({ table, because }) => [table, because]));
  assert.match(kept.get("payment_order") ?? "", /record of what the customer has ordered/);
  assert.match(kept.get("consent_authorisation") ?? "", /evidence/);
  assert.deepEqual(plan.jointAccounts, ["second-joint"]);
  assert.deepEqual(plan.unfinishedOrders, []);
});

test("while an order of the customer is not finished, nothing is erased", async () => {
  const lodged = await lodge(client, { amount: "41.02" });
  const { token } = await readyToPay(bank, client, lodged);
  const waiting = await order(client, lodged, token);
  const whole = await dump(database);
  const plan = await eraseCustomer(database, ada);
  assert.deepEqual(plan.unfinishedOrders, [waiting]);
  assert.deepEqual(await dump(database), whole);
  bank.engine.start(50);
  await untilStatus(client, "domestic-payment", waiting, "ACCC");
  await bank.engine.stop();
});

/** The database, whose transactions break off before they delete from a table. */
const breakingBefore = (table: string): Database => ({
  ...database,
  transaction: (work) =>
    database.transaction((on) =>
      work({
        query(statement) {
          const isThere = statement.text.includes(`delete from ${table}`);
          return isThere ? Promise.reject(new Error("broken off")) : on.query(statement);
        },
      }),
    ),
});

test("an erasure that breaks off has changed nothing, and a whole one has changed only hers", async () => {
  const whole = await dump(database);
  const ofBob = await exported(bob);
  for (const table of ["account_transaction", "party", "attached_data"]) {
    await assert.rejects(eraseCustomer(breakingBefore(table), ada), /broken off/, table);
    assert.deepEqual(await dump(database), whole, table);
  }
  const { deleted } = await eraseCustomer(database, ada);
  assert.ok(deleted.length > 5);
  const left = await dump(database);
  for (const row of whole.difference(left)) {
    const [table = ""] = row.split(" ", 1);
    assert.ok(goes.includes(table) && hers.some((id) => row.includes(id)), row);
    assert.doesNotMatch(row, /second-bob/);
  }
  for (const row of left.difference(whole)) assert.match(row, /^(removed_fact|change) /);
  for (const id of [ada, "second-current"]) {
    for (const table of await tablesWith(database, id)) assert.ok(!goes.includes(table), table);
  }
  assert.deepEqual(await exported(bob), ofBob);
});

test("an erasure can be repeated, and what stays keeps the invariants", async () => {
  const whole = await dump(database);
  const again: ErasurePlan = await eraseCustomer(database, ada);
  assert.deepEqual(again.deleted, []);
  assert.ok(again.kept.length > 5);
  assert.deepEqual(await dump(database), whole);
  assert.deepEqual(await verifyInvariants(database, { hasOwnCore: true }), []);
});
