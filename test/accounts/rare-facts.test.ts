// Facts that few banks have, as both versions show them. Each response is checked against the
// published schema of its version.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type { BeneficiaryFact, Versioned } from "#src/account-store/facts.ts";
import type { AccountChanges } from "#src/account-store/feed.ts";
import { loadAccountFact } from "#src/account-store/load-account-fact.ts";
import type { AccountApiId } from "#src/accounts/resource.ts";
import { present } from "#src/lib/assert.ts";
import { createBeneficiaryCalls } from "#src/sandbox/bank/beneficiaries.ts";
import { accountIds, everyFact, productId, wholeAddress } from "./every-fact.ts";
import { AccountsBank } from "./fixture.ts";

// biome-ignore lint/suspicious/noExplicitAny: an assertion on an absent member fails
type Item = any;

const [accountId] = accountIds;
const both = ["aisp-v3.1", "aisp-v4.0"] as const;

let bank: AccountsBank;
let customerId: string;
let token: string;
before(async () => {
  bank = await AccountsBank.open();
  customerId = await bank.addCustomer();
  const product = { productId, name: "Every", details: { ProductType: "Other" } };
  await feed({ products: [{ ...product, version: 1n, purchaseRate: null }] });
  await feed(everyFact(customerId));
  ({ token } = await bank.addConsent({ customerId, accountIds: [accountId] }));
});
after(() => bank.close());

const feed = (changes: AccountChanges) => createAccountFeed(bank.database).apply(changes);

async function read(version: AccountApiId, path: string): Promise<Item[]> {
  const { status, text, body } = await bank
    .through(version)
    .get(`/accounts/${accountId}${path}`, token);
  assert.equal(status, 200, text);
  return Object.values(body.Data as Record<string, Item[]>).flat();
}

const payees = (given: Partial<BeneficiaryFact>, version: bigint): AccountChanges => {
  const [payee] = everyFact(customerId).beneficiaries ?? [];
  return {
    beneficiaries: [{ ...(payee as Versioned<BeneficiaryFact>), ...given, version }],
  };
};

const bic = { SchemeName: "UK.OBIE.BICFI", Identification: "FRSTGB2L" };
const lei = "213800WAVVOPS85N2205";
const addressV3 = {
  AddressType: "Business",
  Department: "Payments",
  SubDepartment: "Claims",
  AddressLine: [
    "c/o Ann Example",
    "Room 7, 2nd floor, 4b",
    "Foundry House",
    "PO Box 118",
    "Holbeck",
    "South Leeds",
    "Rear entrance",
  ],
  StreetName: "Foundry Yard",
  BuildingNumber: "12",
  PostCode: "LS11 5QP",
  TownName: "Leeds",
  CountrySubDivision: "West Yorkshire",
  Country: "GB",
};

test("E-032: a balance has its amount in another currency, with the version's word for the kind of currency", async () => {
  for (const [version, SubType] of [
    ["aisp-v3.1", "LocalCurrency"],
    ["aisp-v4.0", "LCUR"],
  ] as const) {
    const [balance] = await read(version, "/balances");
    assert.deepEqual(balance.LocalAmount, { Amount: "14.80", Currency: "EUR", SubType });
    assert.equal(balance.Type, version === "aisp-v3.1" ? "InterimAvailable" : "ITAV");
    assert.equal(balance.CreditLine.length, 1);
  }
});

test("E-062: an amount that the bank states replaces the one that follows from a statement's sums", async () => {
  for (const [version, SubType] of [
    ["aisp-v3.1", "LocalCurrency"],
    ["aisp-v4.0", "LCUR"],
  ] as const) {
    const [statement] = await read(version, "/statements");
    const closing = statement.StatementAmount.filter(
      ({ Type }: Item) => Type === "UK.OBIE.ClosingBalance",
    );
    assert.equal(closing.length, 1);
    assert.deepEqual(closing[0].LocalAmount, { Amount: "14.80", Currency: "EUR", SubType });
    const types = statement.StatementAmount.map(({ Type }: Item) => Type);
    for (const type of ["UK.OBIE.StartingBalance", "UK.OBIE.FSCSInsurance"]) {
      assert.ok(types.includes(type), type);
    }
    const [fee] = statement.StatementFee;
    assert.deepEqual([fee.Rate, fee.RateType], [1.5, "UK.OBIE.EAR"]);
  }
});

test("a statement that the bank made for another reason than the end of a period has its type", async () => {
  const [regular] = everyFact(customerId).statements ?? [];
  const types: string[] = [];
  for (const [index, occasion] of ([undefined, "year-end", "account-closure"] as const).entries()) {
    const particulars = occasion ? { occasion } : null;
    const fact = { ...present(regular, "a statement"), particulars };
    await feed({ statements: [{ ...fact, version: BigInt(index + 2) }] });
    for (const version of both) {
      const [statement] = await read(version, "/statements");
      types.push(statement.Type);
    }
  }
  assert.deepEqual(
    types,
    ["RegularPeriodic", "Annual", "AccountClosure"].flatMap((type) => [type, type]),
  );
});

test("E-055, E-056, E-060: a payee's bank has its name and address on both versions, and its LEI on v4.0", async () => {
  const [old] = await read("aisp-v3.1", "/beneficiaries");
  const name = { ...bic, Name: "First Bank" };
  assert.deepEqual(old.CreditorAgent, { ...name, PostalAddress: addressV3 });
  const [now] = await read("aisp-v4.0", "/beneficiaries");
  const { PostalAddress: address, ...agent } = now.CreditorAgent;
  assert.deepEqual(agent, { ...name, LEI: lei });
  assert.deepEqual([address.Room, address.AddressLine], ["Room 7", wholeAddress.lines]);
  for (const path of ["/standing-orders", "/scheduled-payments"]) {
    assert.deepEqual((await read("aisp-v3.1", path))[0].CreditorAgent, bic);
    assert.deepEqual((await read("aisp-v4.0", path))[0].CreditorAgent, now.CreditorAgent);
  }
});

test("A-163: the bank of a payee may have a name and no BIC, or no fact at all", async () => {
  await feed(payees({ creditorBic: null, creditorAgent: { name: "First Bank" } }, 2n));
  for (const version of both) {
    const [payee] = await read(version, "/beneficiaries");
    assert.deepEqual(payee.CreditorAgent, { Name: "First Bank" });
  }
  await feed(payees({ creditorBic: null, creditorAgent: null }, 3n));
  for (const version of both) {
    assert.ok(!("CreditorAgent" in (await read(version, "/beneficiaries"))[0]));
  }
});

test("E-056: if a bank's address is fed without a country, neither version shows one", async () => {
  const address = { townName: "Leeds" };
  await feed(payees({ creditorBic: null, creditorAgent: { address } }, 4n));
  for (const version of both) {
    const [payee] = await read(version, "/beneficiaries");
    assert.deepEqual(payee.CreditorAgent, { PostalAddress: { TownName: "Leeds" } });
  }
});

test("a payee whom the customer marks as trusted keeps the facts of the payee's bank and the supplementary data", async () => {
  await feed(payees({ isTrusted: false }, 5n));
  const [before] = await read("aisp-v4.0", "/beneficiaries");
  const calls = createBeneficiaryCalls(bank.database, { now: () => bank.now });
  assert.equal(await calls.trustBeneficiary(customerId, "ben-every", true), true);
  const [after] = await read("aisp-v4.0", "/beneficiaries");
  assert.deepEqual(after, { ...before, BeneficiaryType: "Trusted" });
});

test("loadAccountFact returns the maturity date and the secondary identification, and both versions show them", async () => {
  const loaded = await loadAccountFact(bank.database, accountId);
  const [fed] = everyFact(customerId).accounts ?? [];
  assert.deepEqual(
    [loaded?.maturesOn?.toString(), loaded?.secondaryIdentification],
    [fed?.maturesOn?.toString(), fed?.secondaryIdentification],
  );
  for (const version of both) {
    const [account] = await read(version, "");
    assert.equal(account.MaturityDate, "2029-05-01T00:00:00+00:00");
    assert.equal(account.Account[0].SecondaryIdentification, "ROLL 8");
  }
});

test("E-040, E-056, E-060: only v4.0 shows the addresses and the state of the other banks of a payment", async () => {
  const find = async (version: AccountApiId) =>
    present(
      (await read(version, "/transactions")).find(
        ({ TransactionId }) => TransactionId === "tx-out",
      ),
      "the debit",
    );
  const [old, now] = [await find("aisp-v3.1"), await find("aisp-v4.0")];
  const name = { ...bic, Name: "First Bank" };
  assert.deepEqual(old.CreditorAgent, { ...name, PostalAddress: addressV3 });
  assert.equal(old.UltimateCreditor, undefined);
  const { PostalAddress: address, ...agent } = now.CreditorAgent;
  assert.deepEqual(agent, { ...name, LEI: lei });
  assert.deepEqual(now.UltimateCreditor.PostalAddress, address);
  const chain = [now.IntermediaryAgent1, now.IntermediaryAgent2, now.IntermediaryAgent3];
  assert.deepEqual(
    chain.map((one) => [one.ProcessingStatus, one.PostalAddress.BuildingName]),
    ["ACSC", "ACSP", "PDNG"].map((status) => [status, "Foundry House"]),
  );
  for (const item of [old, now]) {
    assert.equal(item.CurrencyExchange.QuotationDate, "2026-10-15T09:00:00Z");
    assert.deepEqual(item.SupplementaryData, { branch: { region: "North" } });
  }
});

test("E-049, E-051: v4.0 shows the dates of a direct debit, and its day or its count per period", async () => {
  const mandates = (await read("aisp-v4.0", "/direct-debits")).map(
    (one) => one.MandateRelatedInformation,
  );
  const [counted, dated] = mandates;
  assert.deepEqual(counted.Frequency, { Type: "MNTH", CountPerPeriod: 2 });
  assert.deepEqual(dated.Frequency, { Type: "MNTH", PointInTime: "20" });
  assert.deepEqual(
    [dated.FirstPaymentDateTime, dated.RecurringPaymentDateTime, dated.FinalPaymentDateTime],
    ["2026-01-15T00:00:00Z", "2026-02-20T00:00:00Z", "2027-01-20T00:00:00Z"],
  );
  const old = JSON.stringify(await read("aisp-v3.1", "/direct-debits"));
  assert.ok(!old.includes("2027-01-20"));
});
