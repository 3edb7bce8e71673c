import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { accountEndpoints, supportedPermissions } from "#src/accounts/account-resources.ts";
import type { AccountEndpoint } from "#src/accounts/resource.ts";
import { present } from "#src/lib/assert.ts";
import { households } from "#src/sandbox/personas/households.ts";
import {
  addBeneficiary,
  setAccount,
  setDebitFrequency,
  setProductDetails,
  setStatementTerms,
} from "#test/account-store/stored-facts.ts";
import type { AccountsBank } from "./fixture.ts";
import { openSeeded, type Persona, personaOf } from "./seeded-bank.ts";

// One v3.1 consent reads the same facts on both versions. Each response is checked against the
// published schema of its version. Then the two responses are compared, member by member.

type Item = Record<string, unknown>;

/**
 * The members that differ in their values, or exist in only one version. `partsOfV4` lists the
 * members of a member that only v4.0 has. Source: E-025…E-061.
 */
type Difference = {
  words?: string[];
  onlyV3?: string[];
  onlyV4?: string[];
  partsOfV4?: Readonly<Record<string, string[]>>;
};

const creditor = ["CreditorAgent"];
const partsOfV4 = { CreditorAccount: ["Proxy"] };
const differences: Readonly<Record<string, Difference>> = {
  Account: {
    onlyV3: ["AccountType", "AccountSubType"],
    onlyV4: ["AccountCategory", "AccountTypeCode", "StatementFrequencyAndFormat"],
    partsOfV4: { Account: ["LEI"], Servicer: ["Name"] },
  },
  Balance: { words: ["Type"] },
  Transaction: { words: ["Status"] },
  Beneficiary: { words: creditor, partsOfV4 },
  DirectDebit: {
    words: ["DirectDebitStatusCode"],
    onlyV3: ["MandateIdentification", "Frequency"],
    onlyV4: ["MandateRelatedInformation"],
  },
  StandingOrder: {
    words: ["StandingOrderStatusCode", ...creditor],
    partsOfV4,
    onlyV3: ["Frequency", "FirstPaymentDateTime", "FinalPaymentDateTime", "Reference"],
    onlyV4: ["MandateRelatedInformation", "RemittanceInformation"],
  },
  ScheduledPayment: { words: creditor, partsOfV4 },
  Party: { words: ["Address", "Relationships"], onlyV4: ["LEI"] },
  Product: {},
  Offer: {},
  Statement: {},
};

const codedProduct = {
  ProductId: "coded",
  ProductName: "Coded",
  ProductType: "Other",
  OtherProductType: {
    Name: "Coded",
    Description: "A product with a code",
    OtherFeesCharges: [
      {
        FeeChargeDetail: [
          {
            FeeCategory: "FCOT",
            FeeType: "FTOT",
            FeeAmount: "1.00",
            ApplicationFrequency: "FEPO",
            OtherFeeType: {
              Code: "AB12",
              FeeCategory: "FCOT",
              Name: "Fee",
              Description: "A fee with a code",
            },
          },
        ],
      },
    ],
  },
};

let bank: AccountsBank;
let v4: AccountsBank;
before(async () => {
  bank = await openSeeded();
  v4 = bank.through("aisp-v4.0");
});
after(() => bank.close());

async function read(through: AccountsBank, url: string, row: AccountEndpoint, token: string) {
  const { status, text, body } = await through.get(url, token);
  assert.equal(status, 200, `${url}: ${text}`);
  const items = [body.Data[row.arrayName] ?? []].flat() as Item[];
  return { items, links: body.Links as Record<string, string>, meta: body.Meta };
}

const without = (item: Item, names: readonly string[] = []): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

/** Removes the kind of currency, for which each version has its own words, from all amounts. */
const withoutSubTypes = (item: Item): Item =>
  JSON.parse(JSON.stringify(item, (name, value) => (name === "SubType" ? undefined : value)));

/** Removes parts of an item's members. A member may be an object or an array of objects. */
const withoutParts = (item: Item, parts: Difference["partsOfV4"] = {}): Item =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      if (!parts[name]) return [name, value];
      const each = [value].flat().map((one) => without(one as Item, parts[name]));
      return [name, Array.isArray(value) ? each : each[0]];
    }),
  );

const tokenOf = async ({ customerId, accountIds }: Persona, permissions: string[]) =>
  (await bank.addConsent({ customerId, accountIds, permissions })).token;

test("both versions serve the same resources with the same operation ids", () => {
  const named = (version: "aisp-v3.1" | "aisp-v4.0") =>
    accountEndpoints(version).map(({ path, operationId, permissions }) => [
      path,
      operationId,
      permissions,
    ]);
  assert.deepEqual(named("aisp-v4.0"), named("aisp-v3.1"));
  assert.equal(named("aisp-v4.0").length, 26);
});

for (const { login } of households.flatMap(({ personas }) => personas)) {
  describe(`data of ${login} on both versions`, () => {
    let persona: Persona;
    let token: string;
    before(async () => {
      persona = await personaOf(bank, login);
      token = await tokenOf(persona, [...supportedPermissions()]);
    });

    // the month of harriet's busy account has no statement yet, because it has not ended
    const served = accountEndpoints("aisp-v4.0").filter(
      ({ file, part }) => !file && !(part && login === "harriet"),
    );
    for (const row of served) {
      test(`E-001, E-009, E-033, E-068, E-074: each endpoint has the same items on both versions, in each version's format (${row.path})`, async () => {
        const { statementId, accountIds } = persona;
        const ofAll = row.path.includes(":AccountId") ? accountIds : [""];
        for (const accountId of ofAll.slice(0, row.part ? 1 : undefined)) {
          const path = row.path
            .replace(":AccountId", accountId)
            .replace(":StatementId", statementId);
          const old = await read(bank, path, row, token);
          const now = await read(v4, path, row, token);
          const difference = differences[row.arrayName] ?? {};
          const { words = [], onlyV3 = [], onlyV4 = [], partsOfV4 } = difference;
          assert.deepEqual(
            now.items
              .map((item) => withoutParts(without(item, [...words, ...onlyV4]), partsOfV4))
              .map(withoutSubTypes),
            old.items.map((item) => withoutSubTypes(without(item, [...words, ...onlyV3]))),
          );
          for (const item of now.items) for (const name of onlyV3) assert.ok(!(name in item), name);
          for (const item of old.items) for (const name of onlyV4) assert.ok(!(name in item), name);
          assert.deepEqual(now.meta, old.meta);
          for (const link of Object.values(now.links)) assert.match(link, /\/v4\.0\/aisp\//, link);
          for (const link of Object.values(old.links)) assert.match(link, /\/v3\.1\/aisp\//, link);
        }
      });
    }

    test("E-023, E-054, E-070, E-076: Basic hides the same fields on both versions", async () => {
      const basic = [...supportedPermissions()].filter((code) => !code.endsWith("Detail"));
      const shown = await tokenOf(persona, basic);
      const hidden: Readonly<Record<string, string[]>> = {
        Account: ["Account", "Servicer", "StatementFrequencyAndFormat"],
        Transaction: [
          ...["TransactionInformation", "Balance", "MerchantDetails"],
          ...["CreditorAccount", "CreditorAgent", "DebtorAccount", "DebtorAgent"],
          ...["UltimateCreditor", "UltimateDebtor"],
        ],
        Beneficiary: ["CreditorAgent", "CreditorAccount"],
        StandingOrder: ["CreditorAgent", "CreditorAccount"],
        ScheduledPayment: ["CreditorAgent", "CreditorAccount"],
        Statement: ["StatementAmount"],
      };
      for (const row of accountEndpoints("aisp-v4.0").filter(({ file, part }) => !file && !part)) {
        const path = row.path.replace(":AccountId", persona.accountIds[0] ?? "");
        for (const through of [bank, v4]) {
          const { items } = await read(through, path, row, shown);
          const found = items.flatMap((item) => Object.keys(item));
          const names = hidden[row.arrayName] ?? [];
          assert.deepEqual(
            names.filter((name) => found.includes(name)),
            [],
            path,
          );
        }
      }
    });
  });
}

describe("one account on both versions", () => {
  let persona: Persona;
  let token: string;
  let accountId: string;
  before(async () => {
    persona = await personaOf(bank, "amara");
    accountId = persona.accountIds[0] ?? "";
    token = await tokenOf(persona, [...supportedPermissions()]);
  });
  const first = async (through: AccountsBank, path: string, name: string): Promise<Item> =>
    (await through.get(path, token)).body.Data[name][0];

  test("E-024, E-025: each version shows an account's category and type in its own members", async () => {
    const path = `/accounts/${accountId}`;
    const { AccountType, AccountSubType } = await first(bank, path, "Account");
    assert.deepEqual([AccountType, AccountSubType], ["Personal", "CurrentAccount"]);
    const { AccountCategory, AccountTypeCode, Currency } = await first(v4, path, "Account");
    assert.deepEqual([AccountCategory, AccountTypeCode, Currency], ["Personal", "CACC", "GBP"]);
  });

  test("E-026, E-027: an account kind that a version does not have is shown as the nearest kind", async () => {
    const shown = async (kind: string) => {
      await setAccount(bank.database, accountId, { accountSubType: kind, description: null });
      const path = `/accounts/${accountId}`;
      const { AccountSubType, Description } = await first(bank, path, "Account");
      return [AccountSubType, Description, (await first(v4, path, "Account")).AccountTypeCode];
    };
    assert.deepEqual(await shown("ChargeCard"), ["ChargeCard", undefined, "CARD"]);
    assert.deepEqual(await shown("EMoney"), ["EMoney", undefined, "WALT"]);
    const unknown = ["CurrentAccount", "Non Resident External", "NREX"];
    assert.deepEqual(await shown("NonResidentExternal"), unknown);
    assert.deepEqual(await shown("CurrentAccount"), ["CurrentAccount", undefined, "CACC"]);
  });

  test("E-032, E-033: the same balances have ISO codes on v4.0", async () => {
    const types = async (through: AccountsBank) =>
      (await through.get(`/accounts/${accountId}/balances`, token)).body.Data.Balance.map(
        ({ Type }: { Type: string }) => Type,
      );
    assert.deepEqual(await types(bank), ["InterimBooked", "InterimAvailable"]);
    assert.deepEqual(await types(v4), ["ITBD", "ITAV"]);
  });

  test("E-043, E-044: each version shows a direct debit's mandate in its own members", async () => {
    const path = `/accounts/${accountId}/direct-debits`;
    const old = await first(bank, path, "DirectDebit");
    const now = await first(v4, path, "DirectDebit");
    assert.equal(old.Frequency, "UK.OBIE.Monthly");
    const { Classification, ...mandate } = now.MandateRelatedInformation as Item;
    assert.deepEqual(mandate, {
      MandateIdentification: old.MandateIdentification,
      Frequency: { Type: "MNTH" },
    });
    assert.match(String(Classification), /^(FIXE|VARI)$/);
    assert.deepEqual([old.DirectDebitStatusCode, now.DirectDebitStatusCode], ["Active", "ACTV"]);
  });

  test("E-046, E-047, E-048, E-052: each version has its own members for a standing order's schedule and reference", async () => {
    const path = `/accounts/${accountId}/standing-orders`;
    const old = await first(bank, path, "StandingOrder");
    const now = await first(v4, path, "StandingOrder");
    const day = /^IntrvlMnthDay:01:(\d\d)$/.exec(String(old.Frequency))?.[1];
    assert.deepEqual(now.MandateRelatedInformation, {
      FirstPaymentDateTime: old.FirstPaymentDateTime,
      Frequency: { Type: "MNTH", PointInTime: day },
    });
    assert.deepEqual(now.RemittanceInformation, {
      Structured: [{ CreditorReferenceInformation: { Reference: old.Reference } }],
    });
    assert.deepEqual(
      [old.StandingOrderStatusCode, now.StandingOrderStatusCode],
      ["Active", "ACTV"],
    );
  });

  test("E-058: a party's address has a type in the version's codes, and is otherwise the same", async () => {
    const addressOf = async (through: AccountsBank) =>
      (await through.get("/party", token)).body.Data.Party.Address[0];
    const { AddressType, ...old } = await addressOf(bank);
    const { AddressType: code, ...now } = await addressOf(v4);
    assert.deepEqual([AddressType, code], ["Residential", "HOME"]);
    assert.deepEqual(now, old);
  });

  test("E-069: a page's cursor is refused by the other version", async () => {
    const path = `/accounts/${accountId}/transactions`;
    const { body } = await bank.get(path, token);
    const cursor = new URL(body.Links.Next).searchParams.get("pg");
    assert.equal((await bank.get(`${path}?pg=${cursor}`, token)).status, 200);
    const { status, text } = await v4.get(`${path}?pg=${cursor}`, token);
    assert.equal(status, 400);
    assert.match(text, /"ErrorCode":"U002"/);
  });

  test("E-066: both versions ignore the time zone of a filter", async () => {
    const path = `/accounts/${accountId}/transactions`;
    const { body } = await bank.get(path, token);
    const from: string = body.Data.Transaction.at(9).BookingDateTime;
    const moved = encodeURIComponent(from.replace("Z", "+09:00"));
    for (const through of [bank, v4]) {
      const shown = await through.get(`${path}?fromBookingDateTime=${moved}`, token);
      const plain = await through.get(`${path}?fromBookingDateTime=${from}`, token);
      assert.deepEqual(shown.body.Data, plain.body.Data);
      assert.ok(shown.body.Data.Transaction.length >= 10);
    }
  });

  test("E-063, E-064: both versions show a fee type that is new in v4.0, and a negative rate with four decimals", async () => {
    const [cost] = [{ type: "CHG", indicator: "Debit", text: "Plan", amount: "100" }];
    const costs = [{ ...cost, code: "UK.OBIE.InstalmentPlan", frequency: null }];
    const rates = [{ type: "UK.OBIE.AnnualPurchase", rate: "-999.9999" }];
    await setStatementTerms(bank.database, persona.statementId, { costs, rates });
    const path = `/accounts/${accountId}/statements/${persona.statementId}`;
    for (const through of [bank, v4]) {
      const shown = await first(through, path, "Statement");
      const [fee] = shown.StatementFee as { Type: string }[];
      assert.equal(fee?.Type, "UK.OBIE.InstalmentPlan");
      assert.deepEqual(shown.StatementRate, [{ Rate: "-999.9999", Type: rates[0]?.type }]);
    }
  });

  test("E-065: a product's code may have four letters, digits or underscores", async () => {
    const card = persona.accountIds.at(-1);
    await setProductDetails(bank.database, present(card, "a card"), codedProduct);
    const { OtherProductType } = await first(v4, `/accounts/${card}/product`, "Product");
    assert.deepEqual(OtherProductType, codedProduct.OtherProductType);
  });

  test("E-044, E-071: a direct debit of unknown frequency has a default on v4.0", async () => {
    await setDebitFrequency(bank.database, accountId, "NotKnown");
    const path = `/accounts/${accountId}/direct-debits`;
    const { MandateRelatedInformation: mandate } = await first(v4, path, "DirectDebit");
    assert.deepEqual((mandate as { Frequency: object }).Frequency, { Type: "NONE" });
    assert.equal((await first(bank, path, "DirectDebit")).Frequency, "UK.OBIE.NotKnown");
  });

  test("E-072: both versions mask a payee's card number, and show it with ReadPAN", async () => {
    await addBeneficiary(bank.database, {
      beneficiaryId: "a-card",
      customerId: persona.customerId,
      schemeName: "UK.OBIE.PAN",
      identification: "4929000012344444",
      name: "Ann",
    });
    const numberOf = async (through: AccountsBank, codes: string[]) => {
      const access = await tokenOf(persona, codes);
      const { body } = await through.get("/beneficiaries", access);
      return body.Data.Beneficiary.find(
        ({ BeneficiaryId }: { BeneficiaryId: string }) => BeneficiaryId === "a-card",
      ).CreditorAccount.Identification;
    };
    const all = [...supportedPermissions()];
    for (const through of [bank, v4]) {
      assert.equal(await numberOf(through, all), "4929000012344444");
      const masked = await numberOf(
        through,
        all.filter((code) => code !== "ReadPAN"),
      );
      assert.equal(masked, "**** **** **** 4444");
    }
  });

  test("the file of a statement is the same on both versions", async () => {
    const path = `/accounts/${accountId}/statements/${persona.statementId}/file`;
    const [old, now] = await Promise.all([bank.get(path, token), v4.get(path, token)]);
    assert.deepEqual([old.status, now.status], [200, 200]);
    assert.deepEqual(now.raw, old.raw);
  });
});
