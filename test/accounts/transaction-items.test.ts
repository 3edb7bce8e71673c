import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TransactionFact } from "#src/account-store/transaction.ts";
import { transactionCodes } from "#src/sandbox/bank/transaction-codes.ts";
import { AccountsBank } from "./fixture.ts";
import { storeFacts, transactionFact } from "./stored-transactions.ts";

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
  // a core might send a full number by mistake
  maskedPan: "4929000012344444",
} as const;

const lines: (Partial<TransactionFact> & { transactionId: string })[] = [
  { transactionId: "tx-card", ...transactionCodes("DEB"), card },
  {
    transactionId: "tx-pending",
    ...transactionCodes("DEB"),
    card,
    status: "Pending",
    bookedAt: Temporal.Instant.from("2026-11-23T08:00:00Z"),
  },
  { transactionId: "tx-plain", indicator: "Credit" },
];

async function store(change: (typeof lines)[number]): Promise<void> {
  const fact = transactionFact({
    accountId,
    ...transactionCodes("FPI"),
    amount: { amountMinor: 1250n, currency: "GBP" },
    reference: "a reference",
    information: "CORNER SHOP",
    ...change,
  });
  await storeFacts(bank.database, [fact]);
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

test("A-183: each transaction has every mandatory member and a status of the standard", async () => {
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

test("A-184: a pending card purchase shows its expected booking date", async () => {
  const pending = (await read("ReadTransactionsBasic")).get("tx-pending");
  assert.deepEqual(
    [pending?.Status, pending?.BookingDateTime],
    ["Pending", "2026-11-23T08:00:00Z"],
  );
});

test("A-185: a booked transaction is Immutable and reads the same 40 days later", async () => {
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

test("A-188: without ReadPAN a card number is masked, with Basic too", async () => {
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
