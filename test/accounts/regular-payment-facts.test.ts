// Facts of standing orders, direct debits and payees that only v4.0 shows, as a bank feeds them.
// Each response is checked against the published schema of its version.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type {
  BeneficiaryFact,
  DirectDebitFact,
  ScheduledPaymentFact,
  StandingOrderFact,
} from "#src/account-store/facts.ts";
import type { AccountChanges } from "#src/account-store/feed.ts";
import { createBeneficiaryCalls } from "#src/sandbox/bank/beneficiaries.ts";
import { createMandateCalls } from "#src/sandbox/bank/mandates.ts";
import { AccountsBank } from "./fixture.ts";
import { type Item, readOnlyItem, readPersona, tokensFor } from "./read-items.ts";
import { openSeeded } from "./seeded-bank.ts";

let v3: AccountsBank;
let v4: AccountsBank;
let customerId: string;
let accountId: string;
let detail: string;
let basic: string;
let version = 0n;

const feed = (changes: AccountChanges) => createAccountFeed(v3.database).apply(changes);

const proxy = { code: "MBNO", identification: "+44-7700900333", type: "Mobile" };
const creditor = {
  schemeName: "UK.OBIE.SortCodeAccountNumber",
  identification: "20202010981789",
  name: "Ann",
};

function standingOrder(given: Partial<StandingOrderFact> = {}) {
  version += 1n;
  return {
    ...{ version, standingOrderId: "so-1", accountId, currency: "GBP", state: "Active" as const },
    rhythm: { unit: "month", every: 1, day: 15 } as const,
    reference: "RENT",
    numberOfPayments: null,
    first: { on: Temporal.PlainDate.from("2026-01-15"), amountMinor: 100n },
    recurringOn: null,
    next: null,
    last: null,
    final: null,
    mandate: null,
    remittance: null,
    creditor: { ...creditor, proxy },
    creditorAgent: { bic: "ALDGGB2L", name: "Aldgate Bank" },
    ...given,
  };
}

function directDebit(given: Partial<DirectDebitFact> = {}) {
  version += 1n;
  const stateUpdatedAt = Temporal.Instant.from("2026-01-15T09:00:00Z");
  return {
    ...{ version, directDebitId: "dd-1", accountId, mandateReference: "GAS-1" },
    ...{ originatorName: "Gas", frequency: "Monthly" as const, state: "Active" as const },
    ...{ stateUpdatedAt, mandate: null, previous: null },
    ...given,
  };
}

function payee(given: Partial<BeneficiaryFact> = {}) {
  version += 1n;
  const createdAt = Temporal.Instant.from("2026-01-15T09:00:00Z");
  return {
    ...creditor,
    ...{ version, beneficiaryId: "ben-1", customerId, isTrusted: false, createdAt },
    ...{ secondaryIdentification: null, proxy, creditorBic: null, reference: null },
    ...given,
  };
}

function scheduledPayment(): ScheduledPaymentFact & { version: bigint } {
  version += 1n;
  return {
    ...{ version, scheduledPaymentId: "sp-1", accountId, reference: null, creditorAgent: null },
    executeAt: Temporal.Instant.from("2030-01-15T09:00:00Z"),
    amount: { amountMinor: 100n, currency: "GBP" },
    creditor: { ...creditor, proxy },
  };
}

before(async () => {
  v3 = await AccountsBank.open();
  v4 = v3.through("aisp-v4.0");
  customerId = await v3.addCustomer();
  accountId = await v3.addAccount(customerId);
  ({ detail, basic } = await tokensFor(v3, { accountId, customerId }));
});
after(() => v3.close());

const read = (bank: AccountsBank, path: string, name: string, token = detail) =>
  readOnlyItem(bank, { accountId, path, name }, token);

const readOrder = (bank: AccountsBank, token = detail) =>
  read(bank, "/standing-orders", "StandingOrder", token);

describe("mandates", () => {
  const classifications = [
    ["Fixed", "FIXE"],
    ["UsageBased", "USGB"],
    ["Variable", "VARI"],
  ] as const;
  const reason = "To pay the membership";

  for (const [classification, code] of classifications) {
    const mandate = { classification, categoryPurpose: "SUPP", reason };
    const shown = { Classification: code, CategoryPurposeCode: "SUPP", Reason: reason };

    test(`E-051: v4.0 shows the classification, purpose and reason of a standing order, and v3.1 does not (${code})`, async () => {
      const recurringOn = Temporal.PlainDate.from("2026-02-20");
      await feed({ standingOrders: [standingOrder({ mandate, recurringOn })] });
      assert.deepEqual((await readOrder(v4)).MandateRelatedInformation, {
        FirstPaymentDateTime: "2026-01-15T00:00:00Z",
        RecurringPaymentDateTime: "2026-02-20T00:00:00Z",
        ...shown,
        Frequency: { Type: "MNTH", PointInTime: "15" },
      });
      const old = JSON.stringify(await readOrder(v3));
      for (const word of ["Mandate", "Classification", "Recurring", "SUPP", reason, "2026-02-20"]) {
        assert.ok(!old.includes(word), word);
      }
    });

    test(`E-051: v4.0 shows the classification, purpose and reason of a direct debit, and v3.1 does not (${code})`, async () => {
      await feed({ directDebits: [directDebit({ mandate })] });
      const readDebit = (bank: AccountsBank) => read(bank, "/direct-debits", "DirectDebit");
      assert.deepEqual((await readDebit(v4)).MandateRelatedInformation, {
        MandateIdentification: "GAS-1",
        ...shown,
        Frequency: { Type: "MNTH" },
      });
      const old = JSON.stringify(await readDebit(v3));
      for (const word of ["Classification", "SUPP", reason]) assert.ok(!old.includes(word), word);
    });
  }

  test("a direct debit that the customer cancels keeps its classification", async () => {
    await feed({ directDebits: [directDebit({ mandate: { classification: "Variable" } })] });
    const calls = createMandateCalls(v3.database, { now: () => v3.now });
    assert.equal(await calls.cancelDirectDebit(customerId, "dd-1"), true);
    const item = await read(v4, "/direct-debits", "DirectDebit");
    const { Classification } = item.MandateRelatedInformation as Item;
    assert.deepEqual([item.DirectDebitStatusCode, Classification], ["CANC", "VARI"]);
  });
});

describe("remittance information", () => {
  const whole = {
    structured: [
      {
        documents: [
          {
            type: "CINV",
            issuer: "Ann Ltd",
            number: "118",
            relatedOn: "2026-01-31",
            lines: ["2 chairs"],
          },
        ],
        documentAmount: { amountMinor: "120906", currency: "GBP" },
        creditorReference: { type: "SCOR", issuer: "Ann Ltd" },
        invoicer: "Ann Ltd",
        invoicee: "Bob Ltd",
        tax: "VAT 20%",
        additional: ["Paid in parts"],
      },
      { invoicer: "Carl Ltd" },
    ],
    unstructured: ["Chairs"],
  };

  test("E-053: v4.0 shows the documents of a standing order, with their amount as a string", async () => {
    await feed({ standingOrders: [standingOrder({ remittance: whole })] });
    assert.deepEqual((await readOrder(v4)).RemittanceInformation, {
      Structured: [
        {
          ReferredDocumentInformation: [
            {
              Code: "CINV",
              Issuer: "Ann Ltd",
              Number: "118",
              RelatedDate: "2026-01-31T00:00:00Z",
              LineDetails: ["2 chairs"],
            },
          ],
          ReferredDocumentAmount: "1209.06",
          CreditorReferenceInformation: { Code: "SCOR", Issuer: "Ann Ltd", Reference: "RENT" },
          Invoicer: "Ann Ltd",
          Invoicee: "Bob Ltd",
          TaxRemittance: "VAT 20%",
          AdditionalRemittanceInformation: ["Paid in parts"],
        },
        { Invoicer: "Carl Ltd" },
      ],
      Unstructured: ["Chairs"],
    });
  });

  test("E-048, E-053: v3.1 shows only the reference of a standing order with documents", async () => {
    await feed({ standingOrders: [standingOrder({ remittance: whole })] });
    const old = await readOrder(v3);
    assert.equal(old.Reference, "RENT");
    assert.ok(!("RemittanceInformation" in old));
    assert.ok(!JSON.stringify(old).includes("1209.06"));
  });

  test("E-048: a document's own creditor reference is not replaced by the order's reference", async () => {
    const remittance = { structured: [{ creditorReference: { reference: "INV-7" } }] };
    await feed({ standingOrders: [standingOrder({ remittance })] });
    assert.deepEqual((await readOrder(v4)).RemittanceInformation, {
      Structured: [{ CreditorReferenceInformation: { Reference: "INV-7" } }],
    });
  });
});

describe("Basic and Detail of a standing order", () => {
  const hidden = ["CreditorAgent", "CreditorAccount"];
  const kept = ["MandateRelatedInformation", "RemittanceInformation"];
  before(() =>
    feed({
      standingOrders: [
        standingOrder({ mandate: { classification: "Fixed", reason: "Rent of the flat" } }),
      ],
    }),
  );

  test("E-054: v4.0 hides the creditor's bank and account with its alias from Basic, and shows everything else", async () => {
    const { CreditorAgent, CreditorAccount, ...rest } = await readOrder(v4);
    assert.deepEqual((CreditorAccount as Item).Proxy, {
      Identification: proxy.identification,
      Code: "MBNO",
      Type: "Mobile",
    });
    assert.equal((CreditorAgent as Item).Identification, "ALDGGB2L");
    for (const member of kept) assert.ok(member in rest, member);
    const shown = await readOrder(v4, basic);
    assert.deepEqual(shown, rest);
    assert.ok(!JSON.stringify(shown).includes(proxy.identification));
    for (const member of hidden) assert.ok(!(member in shown), member);
  });

  test("E-054: v3.1 hides the creditor's bank and account from Basic", async () => {
    const { CreditorAgent, CreditorAccount, ...rest } = await readOrder(v3);
    assert.ok(CreditorAgent && CreditorAccount);
    assert.deepEqual(await readOrder(v3, basic), rest);
  });
});

describe("aliases of accounts", () => {
  const shown = { Identification: proxy.identification, Code: "MBNO", Type: "Mobile" };
  const resources: [path: string, name: string, changes: () => AccountChanges][] = [
    ["/beneficiaries", "Beneficiary", () => ({ beneficiaries: [payee()] })],
    ["/standing-orders", "StandingOrder", () => ({ standingOrders: [standingOrder()] })],
    [
      "/scheduled-payments",
      "ScheduledPayment",
      () => ({ scheduledPayments: [scheduledPayment()] }),
    ],
  ];

  for (const [path, name, changes] of resources) {
    test(`E-061: v4.0 shows the alias of a creditor's account only with Detail, and v3.1 never (${path})`, async () => {
      await feed(changes());
      const { Proxy: alias, ...account } = (await read(v4, path, name)).CreditorAccount as Item;
      assert.deepEqual(alias, shown);
      assert.deepEqual((await read(v3, path, name)).CreditorAccount, account);
      for (const bank of [v3, v4]) {
        assert.ok(!("CreditorAccount" in (await read(bank, path, name, basic))));
      }
    });
  }

  test("E-061: an account without an alias has no Proxy", async () => {
    await feed({ beneficiaries: [payee({ proxy: null })] });
    const { CreditorAccount } = await read(v4, "/beneficiaries", "Beneficiary");
    assert.ok(!("Proxy" in (CreditorAccount as Item)));
  });

  test("E-061: a payee whom the customer marks as trusted keeps the alias", async () => {
    await feed({ beneficiaries: [payee()] });
    const calls = createBeneficiaryCalls(v3.database, { now: () => v3.now });
    assert.equal(await calls.trustBeneficiary(customerId, "ben-1", true), true);
    const item = await read(v4, "/beneficiaries", "Beneficiary");
    assert.equal(item.BeneficiaryType, "Trusted");
    assert.deepEqual((item.CreditorAccount as Item).Proxy, shown);
  });
});

describe("personas", () => {
  let seeded: AccountsBank;
  before(async () => {
    seeded = (await openSeeded()).through("aisp-v4.0");
  });
  after(() => seeded.close());

  test("E-051, E-053: the company's rent has a classification, a reason and the amount of its contract", async () => {
    const nickname = "Main account (two sign)";
    const orders = await readPersona(
      seeded,
      ["dev", nickname],
      "/standing-orders",
      "StandingOrder",
    );
    const rent = orders.find((one) => JSON.stringify(one).includes("UNIT 7")) ?? {};
    const { Classification, Reason } = rent.MandateRelatedInformation as Item;
    assert.deepEqual([Classification, Reason], ["FIXE", "Rent of Unit 7, Foundry Yard"]);
    const { Structured } = rent.RemittanceInformation as { Structured: Item[] };
    assert.deepEqual(Structured[0]?.ReferredDocumentAmount, "2850.00");
    assert.deepEqual(Structured[0]?.CreditorReferenceInformation, { Reference: "UNIT 7" });
  });

  test("E-061: Finn's landlord has a mobile number, as a payee and in the standing order", async () => {
    const landlord = { Identification: "+44-7700900562", Code: "MBNO" };
    for (const [path, name] of [
      ["/beneficiaries", "Beneficiary"],
      ["/standing-orders", "StandingOrder"],
    ] as const) {
      const items = await readPersona(seeded, ["finn", "Main"], path, name);
      const accounts = items.map(({ CreditorAccount }) => CreditorAccount as Item);
      const known = accounts.find(({ Name }) => Name === "M Brennan");
      assert.deepEqual(known?.Proxy, landlord, path);
    }
  });
});
