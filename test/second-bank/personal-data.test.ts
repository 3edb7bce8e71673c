// A customer's data is exported and erased by command: all of it, and nothing of other customers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type { AccountChanges } from "#src/account-store/feed.ts";
import type { Bank } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import { decideMultiAuthorisation } from "#src/payments/execution/multi-authorisation.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { openConsents } from "#src/server/opening/open-consents.ts";
import {
  eraseCustomer,
  exportCustomer,
  personalTables,
  planErasure,
} from "#src/server/personal-data.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { removedVersions, renewAccount } from "#test/account-store/versions.ts";
import type { TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, order, type Resource, untilStatus } from "#test/journeys/payments.ts";
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
/** Ada's order that Bob has signed too, and her access consent. */
let coSigned: string;
let access: string;
const device = "203.0.113.7";

const deps = (over: Partial<Parameters<typeof eraseCustomer>[0]> = {}) => ({
  ...{ database, clock: bank.clock, kinds: paymentKinds },
  ...over,
});
const erase = (over?: Parameters<typeof deps>[0], customerId = ada) =>
  eraseCustomer(deps(over), customerId);
const plan = (customerId = ada) => planErasure(deps(), customerId);

before(async () => {
  second = await startSecondBank();
  bank = await openOver(second);
  ({ database } = bank);
  client = await bank.createTpp();
  const feed = createAccountFeed(database);
  assert.deepEqual((await feed.apply(factsOfBob())).refused, []);
  const holder = { accountId: "second-joint", customerId: bob, role: "joint", version: "none" };
  const wrong = { holders: [holder] } as unknown as AccountChanges; // it is wrong on purpose
  assert.equal((await feed.apply(wrong)).refused.length, 1);
  access = await lodgeAccess(client);
  const accounts = ["second-current", "second-joint"];
  const given = { scope: "accounts", consentId: access, customer: "ada", accounts } as const;
  const { access_token: token } = await bank.approve(client, given);
  await client.call({ path: "/v4.0/aisp/transactions", token });
  const { lodged, token: payment } = await approved(bank, client, "41.01");
  paidOrder = await order(client, lodged, payment);
  await untilStatus(client, "domestic-payment", paidOrder, "ACCC");
  await bank.engine.stop();
  const joint = await orderTogether();
  coSigned = joint.orderId;
  const things = ["second-current", "second-extra", "second-quill-ltd", access, joint.consentId];
  hers = [ada, ...things, lodged.consentId, paidOrder, coSigned];
  // requests are logged about a second later
  await until(
    () => tablesWith(database, coSigned),
    (all) => all.includes("request_log_chunk"),
  );
});
after(async () => {
  await bank?.close();
  await second?.close();
});

/** Lets Ada order a payment from the joint account, from a device, and Bob sign it. */
async function orderTogether(): Promise<{ orderId: string; consentId: string }> {
  (bank.bank as { -readonly [Name in keyof Bank]: Bank[Name] }).readsContext = true;
  const { lodged, token } = await approved(bank, client, "41.05", "second-joint");
  const { consentId, initiation: Initiation, risk: Risk } = lodged;
  const answer = await client.call<Resource>({
    path: "/v4.0/pisp/domestic-payments",
    token,
    idempotencyKey: "together",
    headers: { "x-fapi-customer-ip-address": device },
    body: { Data: { ConsentId: consentId, Initiation }, Risk },
  });
  const orderId = String(answer.body.Data.DomesticPaymentId);
  for (const customerId of [ada, bob]) {
    assert.deepEqual((await plan(customerId)).unfinishedOrders, [orderId]);
  }
  const signed = { orderId, customerId: bob, decision: "approve" } as const;
  assert.equal(await decideMultiAuthorisation(bank, signed), "complete");
  // what is still to be paid is hers
  assert.deepEqual((await plan()).unfinishedOrders, [orderId]);
  assert.deepEqual((await plan(bob)).unfinishedOrders, []);
  bank.engine.start(50);
  await untilStatus(client, "domestic-payment", orderId, "ACCC");
  await bank.engine.stop();
  return { orderId, consentId };
}

/** Bob's account and payee, Ada's companies, and the account that he has together with Ada. */
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
    parties: [
      { ...party, partyId: bob, name: "Bob Quill" },
      { ...party, partyId: "second-quill-ltd", name: "Quill Ltd" },
      { ...party, partyId: "both-ltd", name: "Both Ltd" },
    ],
    accounts: [
      { ...account, version: 2n, companyId: "second-quill-ltd" },
      { ...named("second-extra", "60837110000006"), companyId: "both-ltd" },
      named("second-joint", "60837110000004"),
      named("second-bob", "60837110000005"),
      { ...named("of-both-ltd", "60837110000007"), companyId: "both-ltd" },
    ],
    holders: [
      { ...owner, accountId: "second-joint", customerId: ada, role: "joint" },
      { ...owner, accountId: "second-joint", customerId: bob, role: "joint" },
      { ...owner, accountId: "second-bob", customerId: bob },
      { ...owner, accountId: "second-extra", customerId: ada },
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
  const rows = await exported();
  const tables = new Set(rows.map(({ table }) => table));
  for (const id of hers) {
    for (const table of await tablesWith(database, id)) assert.ok(tables.has(table), table);
  }
  assert.ok(tables.size > 20);
  for (const { table, row } of rows) {
    assert.equal(typeof JSON.parse(row), "object", table);
    assert.doesNotMatch(row, /payee-of-bob|"Bob Quill"|second-bob|Both Ltd/, table);
  }
  assert.ok(rows.some(({ table, row }) => table === "party" && row.includes("Quill Ltd")));
  assert.ok(rows.some(({ table, row }) => table === "payment_order" && row.includes(device)));
  assert.deepEqual(await exported("nobody"), []);
});

test("an export of who has signed an order does not name who gave it, or from where", async () => {
  const rows = (await exported(bob)).filter(({ row }) => row.includes(coSigned));
  assert.deepEqual([...new Set(rows.map(({ table }) => table))].toSorted(), [
    "change",
    "idempotency_key",
    "payment",
    "payment_order",
    "request_log_chunk",
  ]);
  for (const { table, row } of rows) {
    assert.ok(!row.includes(device) && !row.includes(ada), table);
  }
  const signed = rows.find(({ table }) => table === "payment_order")?.row ?? "";
  assert.deepEqual(JSON.parse(signed).signed_by, [bob]);
});

test("an export keeps whole numbers that a program's numbers cannot hold", async () => {
  const party = present(shownFacts.parties?.[0], "a party");
  const version = 9_007_199_254_740_993n;
  await createAccountFeed(database).apply({ parties: [{ ...party, version }] });
  const rows = (await exported()).filter(({ table }) => table === "party");
  const row = rows.find((each) => each.row.includes(ada))?.row;
  assert.match(row ?? "", /"version": 9007199254740993\b/);
});

const goes = personalTables.filter(({ stays }) => stays === null).map(({ table }) => table);

test("a plan says what goes and what stays and why, and changes nothing", async () => {
  const whole = await dump(database);
  const planned = await plan();
  assert.deepEqual(await dump(database), whole);
  const deleted = planned.deleted.map(({ table }) => table);
  for (const table of ["account", "account_balance", "account_holder", "party", "beneficiary"]) {
    assert.ok(deleted.includes(table), table);
  }
  const kept = new Map(planned.kept.map(({ table, because }) => [table, because]));
  assert.match(kept.get("payment_order") ?? "", /record of what the customer has ordered/);
  assert.match(kept.get("consent_authorisation") ?? "", /evidence/);
  assert.deepEqual(planned.jointAccounts, ["second-joint"]);
  assert.deepEqual(planned.unfinishedOrders, []);
});

test("while a consent can be used or an order is not finished, nothing is erased", async () => {
  const lodged = await lodge(client, { amount: "41.02" });
  const { token } = await readyToPay(bank, client, lodged);
  let whole = await dump(database);
  assert.deepEqual((await erase()).consentsInUse, [access, lodged.consentId]);
  assert.deepEqual(await dump(database), whole);
  // its grant lives for an hour
  const clock = { now: () => bank.clock.now().add({ minutes: 61 }) };
  assert.deepEqual((await planErasure(deps({ clock }), ada)).consentsInUse, [access]);
  const channel = { name: "branch", actor: "n-1", reason: "the customer leaves" };
  await openConsents(deps()).stop(access, { by: "customer", channel });
  const waiting = await order(client, lodged, token);
  whole = await dump(database);
  const stopped = await erase();
  assert.deepEqual([stopped.unfinishedOrders, stopped.isErased], [[waiting], false]);
  assert.deepEqual(await dump(database), whole);
  bank.engine.start(50);
  await untilStatus(client, "domestic-payment", waiting, "ACCC");
  await bank.engine.stop();
});

/** The database, to which something happens between the plan and the erasing transaction. */
function thatMeets(event: () => Promise<unknown>): Database {
  let transactions = 0;
  return {
    ...database,
    async transaction(work) {
      transactions += 1;
      if (transactions === 2) await event();
      return database.transaction(work);
    },
  };
}

test("if a holder or an approval arrives while the rows are counted, nothing is erased", async () => {
  const feed = createAccountFeed(database);
  const holder = { accountId: "second-current", customerId: bob, version: 1n };
  let whole = new Set<string>();
  const joined = thatMeets(async () => {
    await feed.apply({ holders: [{ ...holder, role: "joint" }] });
    whole = await dump(database);
  });
  const { hasChanged, isErased } = await erase({ database: joined });
  assert.deepEqual([hasChanged, isErased], [true, false]);
  assert.deepEqual(await dump(database), whole);
  await feed.apply({ removed: { holders: [{ ...holder, version: 2n }] } });

  let given: string[] = [];
  const approving = thatMeets(async () => {
    given = [(await approved(bank, client, "41.03")).lodged.consentId];
    whole = await dump(database);
  });
  assert.deepEqual((await erase({ database: approving })).consentsInUse, given);
  assert.deepEqual(await dump(database), whole);
});

/** A time at which the customer's unused consents have ended. */
const later = { now: () => bank.clock.now().add({ hours: 2 }) };

/** The database, in which an account gets a newer version before the first such statement. */
function renewingBefore(text: string): Database {
  let isRenewed = false;
  const transaction: Database["transaction"] = (work) =>
    database.transaction((on) =>
      work({
        async query(statement) {
          if (!isRenewed && statement.text.includes(text)) {
            isRenewed = true;
            await renewAccount(on, "second-extra");
          }
          return on.query(statement);
        },
      }),
    );
  return { ...database, transaction };
}

test("an erasure that does not remove every fact changes nothing", async () => {
  const whole = await dump(database);
  const renewed = renewingBefore("insert into removed_fact");
  await assert.rejects(erase({ database: renewed, clock: later }), /sent facts .* meanwhile/);
  assert.deepEqual(await dump(database), whole);
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
    await assert.rejects(erase({ database: breakingBefore(table), clock: later }), /broken off/);
    assert.deepEqual(await dump(database), whole, table);
  }
  // its core sends a newer version just before the locks are taken
  const renewed = renewingBefore("lock_accounts");
  const { deleted, isErased } = await erase({ database: renewed, clock: later });
  assert.ok(isErased && deleted.length > 5);
  const left = await dump(database);
  for (const row of whole.difference(left)) {
    const [table = ""] = row.split(" ", 1);
    assert.ok(goes.includes(table) && hers.some((id) => row.includes(id)), row);
    assert.doesNotMatch(row, /second-bob/);
  }
  for (const row of left.difference(whole)) assert.match(row, /^(removed_fact|change) /);
  for (const id of [ada, "second-current", "second-extra", "second-quill-ltd"]) {
    for (const table of await tablesWith(database, id)) assert.ok(!goes.includes(table), table);
  }
  assert.deepEqual(await exported(bob), ofBob);
});

test("an erasure can be repeated, and what stays keeps the invariants", async () => {
  const whole = await dump(database);
  const again = await erase({ clock: later });
  assert.deepEqual(again.deleted, []);
  assert.ok(again.kept.length > 5);
  assert.deepEqual(await dump(database), whole);
  assert.deepEqual(await verifyInvariants(database, { hasOwnCore: true }), []);
});

test("the refused facts of a customer without a party are erased, and those that follow are forgotten", async () => {
  const cyd = "second-cyd";
  const party = present(shownFacts.parties?.[0], "a party");
  const wrong = { ...party, partyId: cyd, version: "none" } as unknown as typeof party;
  const feed = createAccountFeed(database);
  for (const version of [-1n, 0n]) {
    assert.equal((await feed.apply({ parties: [wrong] })).refused.length, 1);
    const { deleted } = await erase({}, cyd);
    assert.deepEqual(
      deleted.map(({ table, rows }) => [table, rows]),
      [["fact_refusal", 1]],
    );
    assert.deepEqual(await tablesWith(database, cyd), ["removed_fact"]);
    assert.deepEqual(await removedVersions(database, cyd), [version]);
  }
});
