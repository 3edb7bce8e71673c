import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createAccountFeed } from "#src/account-store/feed.ts";
import { loadAccountFact } from "#src/account-store/load-account-fact.ts";
import { accountEndpoints, supportedPermissions } from "#src/accounts/resources/resource-list.ts";
import { present } from "#src/lib/assert.ts";
import type { AccountVocabulary } from "#src/standard/aisp-v4.0/words.ts";
import type { StatementDelivery } from "#src/standard/shared/accounts/facts.ts";
import type { Remittance } from "#src/standard/shared/mandate.ts";
import type { Rhythm } from "#src/standard/shared/rhythm.ts";
import { copySeeded } from "#test/harness.ts";
import { createResponseCheck } from "#test/standard/published-responses.ts";
import { accountIds, everyFact, productId, statementId } from "./every-fact.ts";
import { AccountsBank, type Answer } from "./fixture.ts";
import { accountOf } from "./seeded-bank.ts";
import { storeFacts, transactionFact } from "./stored-transactions.ts";

// Facts whose codes or members are new in 4.0.1, with either value of ACCOUNT_VOCABULARY.

const published: Readonly<Record<AccountVocabulary, string>> = {
  "4.0.1": "account-info-v4.0.1.json",
  "4.0.0": "account-info-v4.0.json",
};

/** Returns the check that responses match the published file of a release. */
function checkOf(release: AccountVocabulary) {
  const check = createResponseCheck({ "aisp-v4.0": [published[release]] });
  return (bank: AccountsBank, path: string, { status, headers, text }: Answer): string[] => {
    const flat = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    const seen = { method: "GET", url: bank.version.basePath + path, status, body: text };
    return check({ ...seen, headers: new Headers(flat as [string, string][]) });
  };
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
  // release 4.0.0 has no code for any of its members
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

async function openBank(vocabulary: AccountVocabulary) {
  const bank = await AccountsBank.open({ vocabulary });
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
  "4.0.1": {
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
  },
  "4.0.0": {
    purposes: { "tx-crypto": undefined, "tx-salary": "SALA" },
    agent: undefined,
    frequencies: {
      "so-every-two-years": { Type: "IntrvlMnthDay:24:01" },
      "so-last-friday": { Type: "WkInMnthDay:05:05" },
      "so-last-working-day": { Type: "NONE" },
      "so-monthly": { Type: "MNTH", PointInTime: "15" },
    },
    statements: [
      { CommunicationMethod: "ONLI", Format: "DPDF" },
      { Frequency: "MNTH", CommunicationMethod: "POST" },
    ],
    remittance: { ReferredDocumentInformation: [{ Code: "CINV" }, { Number: "2" }] },
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

// both banks are open at the same time, in one process
const served = {} as Record<AccountVocabulary, Awaited<ReturnType<typeof openBank>>>;
before(async () => {
  for (const vocabulary of ["4.0.1", "4.0.0"] as const) {
    served[vocabulary] = await openBank(vocabulary);
  }
});
after(async () => {
  for (const { bank } of Object.values(served)) await bank.close();
});

for (const vocabulary of ["4.0.1", "4.0.0"] as const) {
  describe(`ACCOUNT_VOCABULARY ${vocabulary}`, () => {
    const check = checkOf(vocabulary);
    const { purposes, agent, frequencies, statements } = shown[vocabulary];

    async function read<Item>(path: string, name: string): Promise<Item[]> {
      const { bank, token } = served[vocabulary];
      const answer = await bank.get(path, token);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(check(bank, path, answer), []);
      return answer.body.Data[name];
    }
    const pathsOf = (name: string) => [
      `/${name}`,
      `/accounts/${served[vocabulary].accountId}/${name}`,
    ];

    test(`E-041, E-042: transactions have the purposes and agents of the release that ACCOUNT_VOCABULARY names (${vocabulary})`, async () => {
      for (const path of pathsOf("transactions")) {
        const items = await read<Transaction>(path, "Transaction");
        assert.deepEqual(
          Object.fromEntries(items.map((one) => [one.TransactionId, one.PaymentPurposeCode])),
          purposes,
        );
        for (const item of items) {
          assert.deepEqual(item.IntermediaryAgent1, agent);
          // both releases have these
          assert.equal(item.CategoryPurposeCode, "SUPP");
          assert.deepEqual(item.UltimateDebtor, { Name: "Bob" });
        }
      }
    });

    test(`E-028, E-029: accounts have the codes of statements of the release that ACCOUNT_VOCABULARY names (${vocabulary})`, async () => {
      for (const path of ["/accounts", `/accounts/${served[vocabulary].accountId}`]) {
        const [item] = await read<{ StatementFrequencyAndFormat: object[] }>(path, "Account");
        assert.deepEqual(item?.StatementFrequencyAndFormat, statements);
      }
    });

    test(`E-050: standing orders have the frequencies of the release that ACCOUNT_VOCABULARY names (${vocabulary})`, async () => {
      for (const path of pathsOf("standing-orders")) {
        const items = await read<StandingOrder>(path, "StandingOrder");
        const found = items.map(({ StandingOrderId, MandateRelatedInformation }) => [
          StandingOrderId,
          MandateRelatedInformation.Frequency,
        ]);
        assert.deepEqual(Object.fromEntries(found), frequencies);
      }
    });

    test(`E-053: standing orders have the documents and amounts of the release that ACCOUNT_VOCABULARY names (${vocabulary})`, async () => {
      for (const path of pathsOf("standing-orders")) {
        const items = await read<StandingOrder>(path, "StandingOrder");
        const structured = shown[vocabulary].remittance;
        for (const { RemittanceInformation } of items) {
          assert.deepEqual(RemittanceInformation, { Structured: [structured] });
        }
      }
    });
  });
}

test("E-028, E-029, E-041, E-042, E-053: the published file of 4.0.0 forbids the members and codes that ACCOUNT_VOCABULARY 4.0.0 leaves out", async () => {
  const { bank, token } = served["4.0.1"];
  const check = checkOf("4.0.0");
  const faults = await Promise.all(
    ["/transactions", "/standing-orders", "/accounts"].map(async (path) =>
      check(bank, path, await bank.get(path, token)).join("\n"),
    ),
  );
  assert.match(faults[0] ?? "", /additionalProperty":"IntermediaryAgent1"/);
  assert.match(faults[0] ?? "", /PaymentPurposeCode must be equal to one of the allowed values/);
  assert.match(faults[1] ?? "", /Frequency\/Type must be equal to one of the allowed values/);
  assert.match(faults[1] ?? "", /ReferredDocumentAmount must be integer/);
  assert.match(faults[1] ?? "", /1\/Code must be equal to one of the allowed values/);
  assert.match(faults[2] ?? "", /0\/Frequency must be equal to one of the allowed values/);
  assert.match(faults[2] ?? "", /1\/Format must be equal to one of the allowed values/);
});

test("E-001: with ACCOUNT_VOCABULARY 4.0.0, every resource matches the published file of 4.0.0", async () => {
  const seeded = await AccountsBank.over(await copySeeded(), { vocabulary: "4.0.0" });
  try {
    seeded.now = Temporal.Now.instant();
    const bank = seeded.through("aisp-v4.0");
    const { accountId, customerId } = await accountOf(seeded, "amara", "Everyday");
    const permissions = [...supportedPermissions()];
    const { token } = await bank.addConsent({ customerId, accountIds: [accountId], permissions });
    const statements = await bank.get(`/accounts/${accountId}/statements`, token);
    const { StatementId } = statements.body.Data.Statement[0];
    await checkEveryResource(bank, token, { accountId, statementId: StatementId });
  } finally {
    await seeded.close();
  }
});

test("E-001: with ACCOUNT_VOCABULARY 4.0.0, every fact matches the published file of 4.0.0", async () => {
  const bank = await AccountsBank.open({ vocabulary: "4.0.0" });
  try {
    const customerId = await bank.addCustomer();
    const details = { ProductName: "Every", ProductType: "CommercialCreditCard" };
    const product = { productId, name: "Every", details, purchaseRate: null };
    const feed = createAccountFeed(bank.database);
    await feed.apply({ products: [{ ...product, version: 1n }] });
    await feed.apply(everyFact(customerId));
    const { token } = await bank.addConsent({ customerId, accountIds: [...accountIds] });
    const accountId = accountIds[0];
    await checkEveryResource(bank.through("aisp-v4.0"), token, { accountId, statementId });
  } finally {
    await bank.close();
  }
});

/** Reads every resource and compares it with the published file of 4.0.0. */
async function checkEveryResource(
  bank: AccountsBank,
  token: string,
  ids: { accountId: string; statementId: string },
): Promise<void> {
  const check = checkOf("4.0.0");
  for (const { path: template } of accountEndpoints("aisp-v4.0").filter(({ file }) => !file)) {
    const path = template
      .replace(":AccountId", ids.accountId)
      .replace(":StatementId", ids.statementId);
    const answer = await bank.get(path, token);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(check(bank, path, answer), []);
  }
}
