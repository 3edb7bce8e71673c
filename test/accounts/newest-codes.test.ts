import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { loadAccountFact } from "#src/account-store/load-account-fact.ts";
import { present } from "#src/lib/assert.ts";
import type { StatementDelivery } from "#src/standard/shared/accounts/facts.ts";
import type { Remittance } from "#src/standard/shared/mandate.ts";
import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import { createResponseCheck } from "#test/standard/published-responses.ts";
import { AccountsBank, type Answer } from "./fixture.ts";
import { storeFacts, transactionFact } from "./stored-transactions.ts";

// Facts whose codes or members are new in 4.0.1.

const check = createResponseCheck({ "aisp-v4.0": ["account-info-v4.0.1.json"] });

/** Compares a response with the published file. */
function faultsOf(bank: AccountsBank, path: string, { status, headers, text }: Answer): string[] {
  const flat = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  const seen = { method: "GET", url: bank.version.basePath + path, status, body: text };
  return check({ ...seen, headers: new Headers(flat as [string, string][]) });
}

const rhythms: Readonly<Record<string, Rhythm>> = {
  "so-every-two-years": { unit: "month", every: 24, day: 1 },
  "so-last-friday": { unit: "weekdayOfMonth", week: -1, dayOfWeek: 5 },
  "so-last-working-day": { unit: "lastWorkingDay" },
  "so-monthly": { unit: "month", every: 1, day: 15 },
};

const statementDeliveries: StatementDelivery[] = [
  { frequency: "None", channel: "Online", format: "Pdf" },
  { frequency: "Monthly", channel: "Post", format: "Csv" },
  { frequency: "Selected", format: "Csv" },
];

const remittance: Remittance = {
  structured: [
    {
      documents: [{ type: "CINV" }, { type: "SOAC", number: "2" }],
      documentAmount: { amountMinor: "12550", currency: "GBP" },
    },
  ],
};

async function openBank() {
  const bank = await AccountsBank.open();
  const customerId = await bank.addCustomer();
  const accountId = await bank.addAccount(customerId);
  const first = { on: Temporal.PlainDate.from("2026-01-15"), amountMinor: 100n };
  const none = { reference: null, numberOfPayments: null, recurringOn: null, creditorAgent: null };
  const about = { mandate: { classification: "Fixed" } as const, remittance };
  const creditor = {
    schemeName: "UK.OBIE.SortCodeAccountNumber",
    identification: "20202010981789",
  };
  const account = present(await loadAccountFact(bank.database, accountId), "the account");
  await createAccountFeed(bank.database).apply({
    accounts: [{ ...account, version: account.version + 1n, statementDeliveries }],
    standingOrders: Object.entries(rhythms).map(([standingOrderId, rhythm]) => ({
      ...{ version: 1n, standingOrderId, accountId, rhythm, currency: "GBP", state: "Active" },
      ...{ ...none, ...about, first, next: null, last: null, final: null, creditor },
    })),
  });
  const intermediaryAgents = [{ schemeName: "UK.OBIE.BICFI", identification: "FRSTGB2L" }];
  const particulars = {
    intermediaryAgents,
    categoryPurpose: "SUPP",
    ultimateDebtor: { name: "Bob" },
  };
  await storeFacts(bank.database, [
    transactionFact({
      ...{ accountId, transactionId: "tx-crypto" },
      particulars: { ...particulars, paymentPurpose: "CRYP" },
    }),
    transactionFact({
      ...{ accountId, transactionId: "tx-salary" },
      particulars: { ...particulars, paymentPurpose: "SALA" },
    }),
  ]);
  const { token } = await bank.addConsent({ customerId, accountIds: [accountId] });
  return { bank: bank.through("aisp-v4.0"), accountId, token };
}

const shown = {
  purposes: { "tx-crypto": "CRYP", "tx-salary": "SALA" },
  agent: { SchemeName: "UK.OBIE.BICFI", Identification: "FRSTGB2L" },
  frequencies: {
    "so-every-two-years": { Type: "TWYR", PointInTime: "01" },
    "so-last-friday": { Type: "LXMH", PointInTime: "05" },
    "so-last-working-day": { Type: "LWMH", PointInTime: "-1" },
    "so-monthly": { Type: "MNTH", PointInTime: "15" },
  },
  statements: [
    { Frequency: "NONE", CommunicationMethod: "ONLI", Format: "DPDF" },
    { Frequency: "MNTH", CommunicationMethod: "POST", Format: "DCSV" },
    { Frequency: "SLCT", Format: "DCSV" },
  ],
  remittance: {
    ReferredDocumentInformation: [{ Code: "CINV" }, { Code: "SOAC", Number: "2" }],
    ReferredDocumentAmount: "125.50",
  },
} as const;

type Transaction = {
  TransactionId: string;
  PaymentPurposeCode?: string;
  CategoryPurposeCode: string;
  IntermediaryAgent1?: object;
  UltimateDebtor: object;
};
type StandingOrder = {
  StandingOrderId: string;
  RemittanceInformation: object;
  MandateRelatedInformation: { Frequency: object };
};

let served: Awaited<ReturnType<typeof openBank>>;
before(async () => {
  served = await openBank();
});
after(() => served?.bank.close());

async function read<Item>(path: string, name: string): Promise<Item[]> {
  const { bank, token } = served;
  const answer = await bank.get(path, token);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(faultsOf(bank, path, answer), []);
  return answer.body.Data[name];
}
const pathsOf = (name: string) => [`/${name}`, `/accounts/${served.accountId}/${name}`];

test("E-041, E-042: transactions have the purposes and agents of 4.0.1", async () => {
  for (const path of pathsOf("transactions")) {
    const items = await read<Transaction>(path, "Transaction");
    assert.deepEqual(
      Object.fromEntries(items.map((one) => [one.TransactionId, one.PaymentPurposeCode])),
      shown.purposes,
    );
    assert.ok(items.length > 0);
    for (const item of items) {
      assert.deepEqual(item.IntermediaryAgent1, shown.agent);
      assert.equal(item.CategoryPurposeCode, "SUPP");
      assert.deepEqual(item.UltimateDebtor, { Name: "Bob" });
    }
  }
});

test("E-028, E-029: accounts have the codes of statements of 4.0.1", async () => {
  for (const path of ["/accounts", `/accounts/${served.accountId}`]) {
    const [item] = await read<{ StatementFrequencyAndFormat: object[] }>(path, "Account");
    assert.deepEqual(item?.StatementFrequencyAndFormat, shown.statements);
  }
});

test("E-050: standing orders have the frequencies of 4.0.1", async () => {
  for (const path of pathsOf("standing-orders")) {
    const items = await read<StandingOrder>(path, "StandingOrder");
    const found = items.map(({ StandingOrderId, MandateRelatedInformation }) => [
      StandingOrderId,
      MandateRelatedInformation.Frequency,
    ]);
    assert.deepEqual(Object.fromEntries(found), shown.frequencies);
  }
});

test("E-053: standing orders have the documents and amounts of 4.0.1", async () => {
  for (const path of pathsOf("standing-orders")) {
    const items = await read<StandingOrder>(path, "StandingOrder");
    assert.ok(items.length > 0);
    for (const { RemittanceInformation } of items) {
      assert.deepEqual(RemittanceInformation, { Structured: [shown.remittance] });
    }
  }
});
