import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { TransactionFact } from "#src/account-store/transaction.ts";
import { AccountsBank } from "./fixture.ts";
import { storeFacts, transactionFact } from "./stored-transactions.ts";

// Facts that few banks have, as both versions show them. Each response is checked against the
// published schema of its version.

let bank: AccountsBank;
let customerId: string;
let accountId: string;
before(async () => {
  bank = await AccountsBank.open();
  customerId = await bank.addCustomer();
  accountId = await bank.addAccount(customerId);
  await storeFacts(
    bank.database,
    facts.map((fact) => transactionFact({ accountId, ...fact })),
  );
});
after(() => bank.close());

const lei = "213800WAVVOPS85N2205";
const bic = "UK.OBIE.BICFI";
const facts: (Partial<TransactionFact> & { transactionId: string })[] = [
  { transactionId: "tx-booked", bankCode: { code: "DEB", issuer: "Aldgate" } },
  {
    transactionId: "tx-pending",
    status: "Pending",
    bookedAt: Temporal.Instant.from("2026-11-23T08:00:00Z"),
  },
  { transactionId: "tx-rejected", status: "Rejected" },
  { transactionId: "tx-future", status: "Future" },
  { transactionId: "tx-information", status: "Information" },
  {
    transactionId: "tx-cleared",
    balance: { amountMinor: -1250n, type: "InterimCleared" },
  },
  {
    transactionId: "tx-rare",
    isoCode: "PMNT-ICDT-DMCT",
    bankCode: { code: "FPO", issuer: "Aldgate" },
    counterparty: {
      schemeName: "UK.OBIE.SortCodeAccountNumber",
      identification: "20202010981789",
      name: "Ann",
      secondaryIdentification: null,
    },
    particulars: {
      furtherBankCodes: [{ code: "FPO-7", issuer: "Aldgate", description: "Sent from the app" }],
      paymentPurpose: "SALA",
      categoryPurpose: "SUPP",
      counterpartyAgent: { schemeName: bic, identification: "ALDGGB2L", name: "Aldgate", lei },
      counterpartyProxy: { code: "EMAL", identification: "ann@mail.example" },
      ultimateCreditor: { name: "Ann Example", lei },
      ultimateDebtor: { name: "Bob Example" },
      intermediaryAgents: [
        { schemeName: bic, identification: "FRSTGB2L", name: "First" },
        { schemeName: bic, identification: "SCNDGB2L" },
      ],
    },
  },
];

// a payment and an income with everything that Basic hides
for (const [indicator, partner] of [
  ["Debit", "Creditor"],
  ["Credit", "Debtor"],
] as const) {
  facts.push({
    transactionId: `tx-paid-by-${indicator}`,
    indicator,
    information: "INVOICE 12",
    merchant: { name: "The Corner Shop", categoryCode: "5411" },
    balance: { amountMinor: 5000n, type: "InterimBooked" },
    counterparty: {
      schemeName: "UK.OBIE.SortCodeAccountNumber",
      identification: "20202010981789",
      name: partner,
      secondaryIdentification: null,
    },
    particulars: {
      counterpartyAgent: { schemeName: bic, identification: "ALDGGB2L" },
      ultimateCreditor: { name: "Ann Example" },
      ultimateDebtor: { name: "Bob Example" },
    },
  });
}

type Item = Record<string, unknown> & { TransactionId: string };

async function read(
  version: "aisp-v3.1" | "aisp-v4.0",
  which = "Detail",
): Promise<Map<string, Item>> {
  const permissions = ["ReadAccountsBasic", "ReadTransactionsCredits", "ReadTransactionsDebits"];
  permissions.push(`ReadTransactions${which}`);
  const { token } = await bank.addConsent({ customerId, accountIds: [accountId], permissions });
  const answer = await bank.through(version).get(`/accounts/${accountId}/transactions`, token);
  assert.equal(answer.status, 200, answer.text);
  const items = answer.body.Data.Transaction as Item[];
  return new Map(items.map((item) => [item.TransactionId, item]));
}

const statuses = (items: ReadonlyMap<string, Item>) =>
  Object.fromEntries(
    ["booked", "pending", "rejected", "future", "information"].map((name) => [
      name,
      items.get(`tx-${name}`)?.Status,
    ]),
  );

test("E-035, E-036: v3.1 shows future transactions as pending and omits transactions that are only for information", async () => {
  assert.deepEqual(statuses(await read("aisp-v3.1")), {
    booked: "Booked",
    pending: "Pending",
    rejected: "Rejected",
    future: "Pending",
    information: undefined,
  });
  assert.deepEqual(statuses(await read("aisp-v4.0")), {
    booked: "BOOK",
    pending: "PDNG",
    rejected: "RJCT",
    future: "FUTR",
    information: "INFO",
  });
});

test("E-076: Basic hides the texts, balance, merchant, accounts and banks of payments and incomes", async () => {
  const ultimates = ["UltimateCreditor", "UltimateDebtor"];
  for (const version of ["aisp-v3.1", "aisp-v4.0"] as const) {
    const [whole, basic] = [await read(version), await read(version, "Basic")];
    for (const [indicator, partner] of [
      ["Debit", "Creditor"],
      ["Credit", "Debtor"],
    ]) {
      const hidden = [
        ...["TransactionInformation", "Balance", "MerchantDetails"],
        ...[`${partner}Account`, `${partner}Agent`],
        ...(version === "aisp-v4.0" ? ultimates : []),
      ];
      const shown = Object.keys(whole.get(`tx-paid-by-${indicator}`) ?? {});
      const rest = Object.keys(basic.get(`tx-paid-by-${indicator}`) ?? {});
      assert.deepEqual(
        rest,
        shown.filter((name) => !hidden.includes(name)),
      );
      assert.deepEqual(
        hidden.filter((name) => !shown.includes(name)),
        [],
      );
    }
  }
});

test("E-067: a transaction that is not booked has an expected booking date", async () => {
  for (const version of ["aisp-v3.1", "aisp-v4.0"] as const) {
    const pending = (await read(version)).get("tx-pending");
    assert.equal(pending?.BookingDateTime, "2026-11-23T08:00:00Z");
    assert.equal(pending?.TransactionMutability, undefined);
  }
});

test("E-031, E-034: a cleared running balance keeps its name on v3.1 and is INFO on v4.0", async () => {
  const balanceOf = (items: ReadonlyMap<string, Item>) => items.get("tx-cleared")?.Balance;
  const balance = { CreditDebitIndicator: "Debit", Amount: { Amount: "12.50", Currency: "GBP" } };
  assert.deepEqual(balanceOf(await read("aisp-v3.1")), { ...balance, Type: "InterimCleared" });
  assert.deepEqual(balanceOf(await read("aisp-v4.0")), { ...balance, Type: "INFO" });
});

test("E-037, E-038: only v4.0 shows bank transaction codes besides the default one", async () => {
  const old = (await read("aisp-v3.1")).get("tx-rare");
  const now = (await read("aisp-v4.0")).get("tx-rare");
  for (const item of [old, now]) {
    assert.deepEqual(item?.ProprietaryBankTransactionCode, { Code: "FPO", Issuer: "Aldgate" });
    assert.deepEqual(item?.BankTransactionCode, {
      Code: "IssuedCreditTransfers",
      SubCode: "DomesticCreditTransfer",
    });
  }
  assert.equal(old?.ExtendedProprietaryBankTransactionCodes, undefined);
  assert.deepEqual(now?.ExtendedProprietaryBankTransactionCodes, [
    { Code: "FPO-7", Issuer: "Aldgate", Description: "Sent from the app" },
  ]);
  assert.deepEqual([old?.PaymentPurposeCode, now?.PaymentPurposeCode], [undefined, "SALA"]);
  assert.deepEqual([old?.CategoryPurposeCode, now?.CategoryPurposeCode], [undefined, "SUPP"]);
});

test("E-061: only v4.0 with Detail shows the alias of the other party's account", async () => {
  const account = {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: "20202010981789",
    Name: "Ann",
  };
  const alias = { Identification: "ann@mail.example", Code: "EMAL" };
  const accountOn = async (version: "aisp-v3.1" | "aisp-v4.0", which?: string) =>
    (await read(version, which)).get("tx-rare")?.CreditorAccount;
  assert.deepEqual(await accountOn("aisp-v4.0"), { ...account, Proxy: alias });
  assert.deepEqual(await accountOn("aisp-v3.1"), account);
  assert.equal(await accountOn("aisp-v4.0", "Basic"), undefined);
});

test("E-039, E-040, E-060: only v4.0 with Detail shows ultimate parties, intermediary agents and LEIs", async () => {
  const members = [
    "UltimateCreditor",
    "UltimateDebtor",
    "IntermediaryAgent1",
    "IntermediaryAgent2",
  ];
  const shown = (item: Item | undefined) => members.map((name) => item?.[name]);
  const now = (await read("aisp-v4.0")).get("tx-rare");
  assert.deepEqual(shown(now), [
    { Name: "Ann Example", LEI: lei },
    { Name: "Bob Example" },
    { Name: "First", SchemeName: bic, Identification: "FRSTGB2L" },
    { SchemeName: bic, Identification: "SCNDGB2L" },
  ]);
  assert.equal(now?.IntermediaryAgent3, undefined);
  const agent = { SchemeName: bic, Identification: "ALDGGB2L" };
  assert.deepEqual(now?.CreditorAgent, { ...agent, Name: "Aldgate", LEI: lei });
  const none = members.map(() => undefined);
  const old = (await read("aisp-v3.1")).get("tx-rare");
  assert.deepEqual(shown(old), none);
  assert.deepEqual(old?.CreditorAgent, { ...agent, Name: "Aldgate" });
  const basic = (await read("aisp-v4.0", "Basic")).get("tx-rare");
  assert.deepEqual(shown(basic), none);
  assert.equal(basic?.CreditorAgent, undefined);
  // a purpose code is not about a party
  assert.equal(basic?.PaymentPurposeCode, "SALA");
});
