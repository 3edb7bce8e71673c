import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { renderTransaction, type TransactionFacts } from "#src/bank/transaction-members.ts";
import { sql } from "#src/storage/sql.ts";
import { AccountsBank } from "./fixture.ts";

let bank: AccountsBank;
let customerId: string;
let accountId: string;

before(async () => {
  bank = await AccountsBank.open();
  customerId = await bank.addCustomer();
  accountId = await bank.addAccount(customerId);
  for (const change of lines) await store(change);
});
after(() => bank.close());

const card = {
  scheme: "VISA",
  authorisation: "Contactless",
  // what a core may hand over by mistake
  maskedPan: "4929000012344444",
} as const;

const lines: Partial<TransactionFacts>[] = [
  { transactionId: "tx-card", type: "DEB", card },
  {
    transactionId: "tx-pending",
    type: "DEB",
    card,
    status: "Pending",
    bookedAt: Temporal.Instant.from("2026-11-23T08:00:00Z"),
  },
  { transactionId: "tx-plain", indicator: "Credit" },
];

// As the bank stores its lines: rendered once, by the one renderer that every core uses.
async function store(change: Partial<TransactionFacts>): Promise<void> {
  const facts: TransactionFacts = {
    accountId,
    transactionId: "tx",
    type: "FPI",
    indicator: "Debit",
    status: "Booked",
    bookedAt: Temporal.Instant.from("2026-11-20T08:00:00Z"),
    valueAt: null,
    amount: { amountMinor: 1250n, currency: "GBP" },
    reference: "a reference",
    information: "CORNER SHOP",
    card: null,
    merchant: null,
    counterparty: null,
    ...change,
  };
  const { basicMembers, detailMembers } = renderTransaction(facts);
  await bank.database.query(sql`
    insert into account_transaction (account_id, booked_at, transaction_id, indicator, status,
      amount_minor, currency, basic_members, detail_members)
    values (${accountId}, ${facts.bookedAt}, ${facts.transactionId}, ${facts.indicator},
      ${facts.status}, ${facts.amount.amountMinor}, ${facts.amount.currency}, ${basicMembers},
      ${detailMembers})`);
}

type Item = Record<string, unknown> & { TransactionId: string };

const both = ["ReadTransactionsCredits", "ReadTransactionsDebits"];

async function read(...permissions: string[]): Promise<Map<string, Item>> {
  const { token } = await bank.addConsent({
    customerId,
    accountIds: [accountId],
    permissions: ["ReadAccountsBasic", ...both, ...permissions],
  });
  const { body } = await bank.get(`/accounts/${accountId}/transactions`, token);
  return new Map(body.Data.Transaction.map((item: Item) => [item.TransactionId, item]));
}

test("A-183: each row has what is mandatory, and a status of the standard's", async () => {
  for (const cluster of ["ReadTransactionsBasic", "ReadTransactionsDetail"]) {
    const items = await read(cluster);
    assert.equal(items.size, lines.length);
    for (const item of items.values()) {
      assert.equal(item.AccountId, accountId);
      assert.ok(["Credit", "Debit"].includes(String(item.CreditDebitIndicator)));
      assert.ok(["Booked", "Pending", "Rejected"].includes(String(item.Status)));
      assert.match(String(item.BookingDateTime), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.deepEqual(item.Amount, { Amount: "12.50", Currency: "GBP" });
    }
  }
});

test("A-184: a pending purchase by card shows when it is expected to be booked", async () => {
  const pending = (await read("ReadTransactionsBasic")).get("tx-pending");
  assert.deepEqual(
    [pending?.Status, pending?.BookingDateTime],
    ["Pending", "2026-11-23T08:00:00Z"],
  );
});

test("A-185: a booked row reads the same on another day, and says that it will", async () => {
  const first = await read("ReadTransactionsDetail");
  const before = bank.now;
  bank.now = bank.now.add({ hours: 24 * 40 });
  const later = await read("ReadTransactionsDetail");
  bank.now = before;
  for (const id of ["tx-card", "tx-plain"]) {
    assert.equal(first.get(id)?.TransactionMutability, "Immutable");
    assert.deepEqual(later.get(id), first.get(id));
  }
  assert.equal("TransactionMutability" in (first.get("tx-pending") ?? {}), false);
});

test("A-188: without ReadPAN a card is masked, under Basic too", async () => {
  for (const cluster of ["ReadTransactionsBasic", "ReadTransactionsDetail"]) {
    const items = await read(cluster);
    for (const id of ["tx-card", "tx-pending"]) {
      assert.deepEqual(items.get(id)?.CardInstrument, {
        CardSchemeName: "VISA",
        AuthorisationType: "Contactless",
        Identification: "**** **** **** 4444",
      });
    }
    assert.ok(!JSON.stringify([...items.values()]).includes(card.maskedPan));
  }
});
