import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { type AccountChanges, applyChanges } from "#src/account-store/feed.ts";
import { listOldestDeliveries } from "#src/account-store/freshness.ts";
import { purgeFacts, removalsRememberedDays } from "#src/account-store/retention.ts";
import { newId } from "#src/lib/ids.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { accountFact } from "#test/accounts/facts.ts";
import { AccountsBank, oneConnection } from "#test/accounts/fixture.ts";
import { transactionFact } from "#test/accounts/stored-transactions.ts";

let bank: AccountsBank;
let customerId: string;
let accountId: string;
let token: string;

before(async () => {
  bank = await AccountsBank.open();
  customerId = await bank.addCustomer();
});
after(() => bank.close());
beforeEach(async () => {
  accountId = newId("acc");
  await feed({ accounts: [account(1n)], holders: [{ ...holder(), version: 1n }] });
  ({ token } = await bank.addConsent({ customerId, accountIds: [accountId] }));
});

const feed = (changes: AccountChanges) => createAccountFeed(bank.database).apply(changes);

const account = (version: bigint, { nickname = "Bills" }: { nickname?: string } = {}) =>
  accountFact({ accountId, version, nickname });

const holder = () => ({ accountId, customerId, role: "owner" as const });

const line = (transactionId: string, version: bigint, information: string) =>
  transactionFact({ accountId, transactionId, version, information });

async function shown(): Promise<string[]> {
  const { body } = await bank.get(`/accounts/${accountId}/transactions`, token);
  return body.Data.Transaction.map(
    (item: { TransactionInformation: string }) => item.TransactionInformation,
  );
}

test("the holder of a fed account can read it, and a newer version replaces it", async () => {
  const nickname = async () =>
    (await bank.get(`/accounts/${accountId}`, token)).body.Data.Account[0].Nickname;
  assert.equal(await nickname(), "Bills");
  await feed({ accounts: [account(3n, { nickname: "Rent" })] });
  assert.equal(await nickname(), "Rent");
  await feed({ accounts: [account(2n, { nickname: "Late" })] });
  await feed({ accounts: [account(3n, { nickname: "Again" })] });
  assert.equal(await nickname(), "Rent");
});

test("a transaction is stored in its newest version, in whatever order versions arrive", async () => {
  const id = newId("tx");
  await feed({ transactions: [line(id, 2n, "second")] });
  await feed({ transactions: [line(id, 1n, "first")] });
  assert.deepEqual(await shown(), ["second"]);
  await feed({ transactions: [line(id, 2n, "second, changed")] });
  assert.deepEqual(await shown(), ["second"]);
  await feed({ transactions: [line(id, 4n, "fourth"), line(id, 3n, "third")] });
  assert.deepEqual(await shown(), ["fourth"]);
});

test("sending the same changes again changes nothing, not even a row's position", async () => {
  const changes: AccountChanges = {
    accounts: [account(1n)],
    holders: [{ ...holder(), version: 1n }],
    transactions: [line(newId("tx"), 1n, "once")],
  };
  await feed(changes);
  const places = () =>
    bank.database.query(sql`
      select t.xmin::text as made, a.xmin::text as account from account_transaction t
      join account a on a.account_id = t.account_id where t.account_id = ${accountId}`);
  const placesBefore = await places();
  await feed(changes);
  assert.deepEqual(await places(), placesBefore);
  assert.deepEqual(await shown(), ["once"]);
});

test("a removed transaction is gone, and an older version that arrives late is not stored", async () => {
  const id = newId("tx");
  const removed = { transactions: [{ accountId, transactionId: id, version: 5n }] };
  await feed({ transactions: [line(id, 1n, "first")] });
  await feed({ removed });
  assert.deepEqual(await shown(), []);
  await feed({ transactions: [line(id, 4n, "late")] });
  assert.deepEqual(await shown(), []);
  await feed({ transactions: [line(id, 6n, "back")] });
  await feed({ removed });
  assert.deepEqual(await shown(), ["back"]);
});

test("a removal that arrives before its transaction prevents it from being stored", async () => {
  const id = newId("tx");
  await feed({ removed: { transactions: [{ accountId, transactionId: id, version: 2n }] } });
  await feed({ transactions: [line(id, 1n, "never")] });
  assert.deepEqual(await shown(), []);
});

test("a removed holder cannot read the account any more", async () => {
  const read = async () => (await bank.get(`/accounts/${accountId}`, token)).status;
  assert.equal(await read(), 200);
  await feed({ removed: { holders: [{ accountId, customerId, version: 2n }] } });
  assert.equal(await read(), 403);
  await feed({ holders: [{ ...holder(), version: 1n }] });
  assert.equal(await read(), 403);
  await feed({ holders: [{ ...holder(), version: 3n }] });
  assert.equal(await read(), 200);
});

test("a pending transaction is booked by a newer version of its status", async () => {
  const transactionId = newId("tx");
  const fact = { ...line(transactionId, 1n, "card"), status: "Pending" as const };
  await feed({ transactions: [fact] });
  const status = async () => {
    const { body } = await bank.get(`/accounts/${accountId}/transactions`, token);
    return body.Data.Transaction[0].Status;
  };
  const change = { accountId, transactionId, bookingId: null };
  await feed({ statuses: [{ ...change, version: 1n, status: "Rejected" }] });
  assert.equal(await status(), "Pending");
  await feed({ statuses: [{ ...change, version: 2n, status: "Booked" }] });
  assert.equal(await status(), "Booked");
  await feed({ transactions: [fact] });
  assert.equal(await status(), "Booked");
});

test("if one call has several statuses of a transaction, the newest is stored", async () => {
  const transactionId = newId("tx");
  await feed({ transactions: [{ ...line(transactionId, 1n, "card"), status: "Pending" }] });
  const change = { accountId, transactionId, bookingId: null };
  await feed({
    statuses: [
      { ...change, version: 2n, status: "Pending" },
      { ...change, version: 4n, status: "Rejected" },
      { ...change, version: 3n, status: "Booked" },
    ],
  });
  const { body } = await bank.get(`/accounts/${accountId}/transactions`, token);
  assert.equal(body.Data.Transaction[0].Status, "Rejected");
});

const unknown =
  "must fit what is stored: it names an account or a transaction that the store does not have";

test("a status change of a transaction that is not in the store is refused, so that it cannot be lost", async () => {
  const transactionId = newId("tx");
  const status = {
    ...{ accountId, transactionId, bookingId: null },
    ...{ version: 2n, status: "Booked" as const },
  };
  const fact = { ...line(transactionId, 1n, "card"), status: "Pending" as const };
  const other = line(newId("tx"), 1n, "other");
  const { refused } = await feed({ transactions: [other], statuses: [status] });
  assert.deepEqual(refused, [{ kind: "statuses", key: transactionId, path: "", rule: unknown }]);
  assert.deepEqual(await shown(), ["other"]);
  await feed({ transactions: [fact], statuses: [status] });
  const { body } = await bank.get(`/accounts/${accountId}/transactions`, token);
  const statuses = body.Data.Transaction.map(({ Status }: { Status: string }) => Status);
  assert.deepEqual(statuses, ["Booked", "Booked"]);
});

test("a status change that is older than the removal of its transaction changes nothing", async () => {
  const transactionId = newId("tx");
  await feed({ transactions: [line(transactionId, 1n, "card")] });
  await feed({ removed: { transactions: [{ accountId, transactionId, version: 3n }] } });
  const change = { accountId, transactionId, bookingId: null };
  await feed({ statuses: [{ ...change, version: 2n, status: "Booked" }] });
  assert.deepEqual(await shown(), []);
});

test("a change that names an unknown account is refused alone", async () => {
  const id = newId("tx");
  const stranger = { ...line(newId("tx"), 1n, "nowhere"), accountId: newId("acc") };
  const { refused } = await feed({ transactions: [line(id, 1n, "here"), stranger] });
  assert.deepEqual(refused, [
    { kind: "transactions", key: stranger.transactionId, path: "", rule: unknown },
  ]);
  assert.deepEqual(await shown(), ["here"]);
});

test("facts of a bank's transaction that fails are not stored", async () => {
  const failing = bank.database.transaction(async (on) => {
    await applyChanges(on, { transactions: [line(newId("tx"), 1n, "undone")] });
    throw new Error("the ledger refuses");
  });
  await assert.rejects(failing, /the ledger refuses/);
  assert.deepEqual(await shown(), []);
});

test("the time up to which a cluster was delivered only moves forward", async () => {
  const asOf = async () => {
    const row = await first<{ asOf: Temporal.Instant }>(
      bank.database,
      sql`select as_of as "asOf" from account_freshness
        where account_id = ${accountId} and cluster = 'transactions'`,
    );
    return row?.asOf.toString();
  };
  const deliver = (at: string) =>
    feed({
      delivered: [{ accountId, cluster: "transactions", asOf: Temporal.Instant.from(at) }],
    });
  await deliver("2026-11-21T10:00:00Z");
  await deliver("2026-11-21T12:00:00Z");
  await deliver("2026-11-21T11:00:00Z");
  assert.equal(await asOf(), "2026-11-21T12:00:00Z");
});

test("texts of the greatest lengths are stored and shown in full", async () => {
  const text = "€".repeat(500);
  const name = "ü".repeat(350);
  const fact = {
    ...line(newId("tx"), 1n, text),
    reference: "é".repeat(210),
    merchant: { name, categoryCode: "5411" },
    counterparty: {
      schemeName: "UK.OBIE.IBAN",
      identification: "9".repeat(256),
      name,
      secondaryIdentification: "1".repeat(34),
    },
  };
  await feed({ transactions: [fact] });
  const { body } = await bank.get(`/accounts/${accountId}/transactions`, token);
  const [item] = body.Data.Transaction;
  assert.deepEqual(
    [item.TransactionInformation, item.TransactionReference, item.MerchantDetails.MerchantName],
    [text, fact.reference, name],
  );
  assert.equal(item.CreditorAccount.Name, name);
  assert.equal(item.CreditorAccount.SecondaryIdentification, "1".repeat(34));
});

test("when two feeders send versions of the same facts, the newest is stored", {
  skip: oneConnection,
}, async () => {
  const ids = Array.from({ length: 20 }, () => newId("tx"));
  const versions = Array.from({ length: 8 }, (_, index) => BigInt(index + 1));
  const send = (order: readonly bigint[]) =>
    Promise.all(
      order.map((version) =>
        feed({
          accounts: [account(version, { nickname: `v${version}` })],
          transactions: ids.map((id) => line(id, version, `v${version}`)),
          ...(version === 7n
            ? {
                removed: {
                  transactions: [{ accountId, transactionId: ids[0] ?? "", version: 9n }],
                },
              }
            : {}),
        }),
      ),
    );
  await Promise.all([send(versions), send(versions.toReversed())]);
  assert.deepEqual(
    await shown(),
    Array.from({ length: 19 }, () => "v8"),
  );
  const { body } = await bank.get(`/accounts/${accountId}`, token);
  assert.equal(body.Data.Account[0].Nickname, "v8");
});

test("a removal is forgotten after thirty days, and an older version is then stored", async () => {
  const id = newId("tx");
  await feed({ removed: { transactions: [{ accountId, transactionId: id, version: 5n }] } });
  const age = (days: number) =>
    bank.database.query(sql`update removed_fact
      set removed_at = now() - make_interval(days => ${days}::integer) where key = ${id}`);
  await age(removalsRememberedDays - 1);
  await purgeFacts(bank.database, {}, bank.now);
  await feed({ transactions: [line(id, 1n, "late")] });
  assert.deepEqual(await shown(), []);
  await age(removalsRememberedDays + 1);
  await purgeFacts(bank.database, {}, bank.now);
  await feed({ transactions: [line(id, 1n, "late")] });
  assert.deepEqual(await shown(), ["late"]);
});

test("the oldest delivery of each cluster is listed; what is live is as old as its source's last call", async () => {
  const other = newId("acc");
  const asOf = Temporal.Instant.from("2020-01-01T00:00:00Z");
  const heard = Temporal.Instant.from("2026-11-21T09:59:00Z");
  const at = createAccountFeed(bank.database, undefined, { now: () => heard });
  await at.apply({
    accounts: [{ ...account(1n), accountId: other }],
    delivered: [
      { accountId, cluster: "statements", asOf },
      { accountId, cluster: "regular-payments", asOf: "live" },
      { accountId: other, cluster: "statements", asOf: "live" },
    ],
  });
  const listed = (await listOldestDeliveries(bank.database)).map((each) => [
    each.cluster,
    each.asOf.toString(),
  ]);
  assert.deepEqual(
    listed.filter(([cluster]) => cluster === "statements" || cluster === "regular-payments"),
    [
      ["regular-payments", heard.toString()],
      ["statements", "2020-01-01T00:00:00Z"],
    ],
  );
});
