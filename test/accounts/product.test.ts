import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { makeHistory } from "#src/sandbox/personas/history.ts";
import { households } from "#src/sandbox/personas/households.ts";
import { bankProducts, productNamed } from "#src/sandbox/products/list-products.ts";
import { effectiveYearly, monthlyInterest, tierRate } from "#src/sandbox/products/rates.ts";
import { accountFact } from "./facts.ts";
import type { AccountsBank } from "./fixture.ts";
import { accountOf, openSeeded, tokenFor } from "./seeded-bank.ts";

let bank: AccountsBank;

before(async () => {
  bank = await openSeeded();
});
after(() => bank.close());

const read = async (login: string, nickname: string) => {
  const account = await accountOf(bank, login, nickname);
  const token = await tokenFor(bank, account, ["ReadProducts"]);
  const answer = await bank.get(`/accounts/${account.accountId}/product`, token);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.Data.Product.length, 1);
  assert.equal(answer.body.Data.Product[0].AccountId, account.accountId);
  return answer.body.Data.Product[0];
};

const kinds: [login: string, nickname: string, type: string, model: string | null][] = [
  ["amara", "Everyday", "PersonalCurrentAccount", "PCA"],
  ["dev", "Main account (two sign)", "BusinessCurrentAccount", "BCA"],
  ["amara", "Rainy day", "Other", "OtherProductType"],
  ["grace", "Holiday", "Other", "OtherProductType"],
  ["harriet", "Reserve", "Other", "OtherProductType"],
  ["amara", "Credit card", "Other", "OtherProductType"],
  ["dev", "Company card", "CommercialCreditCard", null],
];

for (const [login, nickname, type, model] of kinds) {
  test(`A-158, A-159: each account is shown as one product, with the data model of its type only (${nickname}, ${type})`, async () => {
    const product = await read(login, nickname);
    assert.equal(product.ProductType, type);
    const models = ["PCA", "BCA", "OtherProductType"].filter((name) => name in product);
    assert.deepEqual(models, model === null ? [] : [model]);
    if (model === "OtherProductType") {
      assert.ok(product.OtherProductType.Name && product.OtherProductType.Description);
    }
    assert.ok(product.ProductId && product.ProductName);
  });
}

test("A-158: an account's product is at /product, not at /products, and needs ReadProducts", async () => {
  const account = await accountOf(bank, "amara", "Everyday");
  const path = `/accounts/${account.accountId}`;
  const token = await tokenFor(bank, account, ["ReadProducts"]);
  assert.equal((await bank.get(`${path}/products`, token)).status, 404);
  const other = await tokenFor(bank, account, ["ReadOffers"]);
  assert.equal((await bank.get(`${path}/product`, other)).status, 403);
  const all = await bank.get("/products", token);
  assert.deepEqual(all.body.Data, (await bank.get(`${path}/product`, token)).body.Data);
});

test("an arranged overdraft has the account's limit, and an account without a limit has none", async () => {
  const bands = ({ Overdraft }: { Overdraft: { OverdraftTierBandSet: Band[] } }) =>
    Overdraft.OverdraftTierBandSet.filter((set) => set.AuthorisedIndicator).flatMap((set) =>
      set.OverdraftTierBand.map((band) => band.TierValueMax),
    );
  type Band = { AuthorisedIndicator: boolean; OverdraftTierBand: { TierValueMax: string }[] };
  assert.deepEqual(bands((await read("amara", "Everyday")).PCA), ["500.00"]);
  assert.deepEqual(bands((await read("finn", "Main")).PCA), ["2000.00"]);
  assert.deepEqual(bands((await read("dev", "Main account (two sign)")).BCA), ["5000.00"]);
  assert.equal("Overdraft" in (await read("dev", "Site expenses")).BCA, false);
  const card = (await read("amara", "Credit card")).OtherProductType.LoanInterest;
  const [band] = card.LoanInterestTierBandSet[0].LoanInterestTierBand;
  assert.equal(band.TierValueMaximum, "3500.00");
});

test("a card whose bank has sent no credit limit is shown without one", async () => {
  const customerId = await bank.addCustomer();
  const accountId = "acc-card-without-limit";
  await createAccountFeed(bank.database).apply({
    accounts: [
      accountFact({ accountId, accountSubType: "CreditCard", productId: "ALDG-CARD-PERSONAL" }),
    ],
    holders: [{ version: 1n, accountId, customerId, role: "owner" }],
  });
  const token = await tokenFor(bank, { accountId, customerId }, ["ReadProducts"]);
  const { body, text } = await bank.get(`/accounts/${accountId}/product`, token);
  const card = body.Data.Product[0].OtherProductType.LoanInterest;
  const [band] = card.LoanInterestTierBandSet[0].LoanInterestTierBand;
  assert.equal(band.TierValueMinimum, "0.00", text);
  assert.equal("TierValueMaximum" in band, false, text);
});

test("A-158: an account without a published product is still described", async () => {
  const customerId = await bank.addCustomer();
  const accountId = await bank.addAccount(customerId, { subType: "Savings" });
  const token = await tokenFor(bank, { accountId, customerId }, ["ReadProducts"]);
  const { body } = await bank.get(`/accounts/${accountId}/product`, token);
  assert.deepEqual(body.Data.Product, [
    {
      AccountId: accountId,
      ProductName: "Savings",
      ProductType: "Other",
      OtherProductType: { Name: "Savings", Description: "An account of the type Savings" },
    },
  ]);
});

test("every account of a persona is one of the bank's products", () => {
  const names = households.flatMap(({ accounts }) => accounts.map((each) => each.description));
  const sold = new Set(names.map((name) => productNamed(name)?.details.ProductId));
  assert.deepEqual([...sold].sort(), bankProducts.map(({ details }) => details.ProductId).sort());
});

test("an effective rate is the monthly rate compounded over a year", () => {
  assert.equal(effectiveYearly("12.00"), "12.68");
  assert.equal(effectiveYearly("0"), "0.00");
  assert.equal(monthlyInterest(120_000, "10.00"), 1_000);
  const tiers = [
    { from: 0, yearly: "1" },
    { from: 100, yearly: "2" },
  ];
  assert.deepEqual(
    [0, 99, 100, 101].map((sum) => tierRate(tiers, sum)),
    ["1", "1", "2", "2"],
  );
});

test("the personas' interest and charges match their products", () => {
  const published = new Map([
    ["UNPAID ITEM FEE", ["Everyday Account", "12.00"]],
    ["BUSINESS ACCOUNT MONTHLY CHARGE", ["Business Account", "8.50"]],
  ]);
  let checked = 0;
  for (const household of households.filter(({ newest }) => newest === undefined)) {
    const today = Temporal.PlainDate.from("2026-11-21");
    const { movements } = makeHistory(household, today);
    for (const { from, to, sum, fromLine, toLine } of movements) {
      const line = fromLine ?? toLine;
      const account = household.accounts.find(({ key }) => key === (fromLine ? from : to));
      if (line?.type === "CHG") {
        assert.deepEqual(published.get(line.text), [account?.description, (sum / 100).toFixed(2)]);
        const text = JSON.stringify(productNamed(account?.description ?? "")?.details);
        assert.match(text, new RegExp(`"FeeAmount":"${(sum / 100).toFixed(2)}"`));
        checked += 1;
      }
    }
    checked += interestOf(household.name, today);
  }
  assert.ok(checked > 100, `${checked}`);
});

/** Compares each month's interest with the balance at the start of the month. */
function interestOf(name: string, today: Temporal.PlainDate): number {
  const household = households.find((one) => one.name === name);
  assert.ok(household);
  const { opening, movements } = makeHistory(household, today);
  const balances = new Map(opening);
  const atStart = new Map<string, number>();
  let month = "";
  let checked = 0;
  for (const { at, from, to, sum, fromLine, toLine } of movements) {
    const now = Temporal.Instant.fromEpochMilliseconds(at).toString().slice(0, 7);
    if (now !== month) {
      month = now;
      for (const [key, balance] of balances) atStart.set(key, balance);
    }
    const key = toLine?.type === "INT" ? to : fromLine?.type === "IND" ? from : null;
    const account = household.accounts.find((each) => each.key === key);
    if (key !== null && account) {
      const product = productNamed(account.description);
      const balance = atStart.get(key) ?? 0;
      assert.ok(product);
      const rate = toLine ? tierRate(product.credit, balance) : product.debit;
      // a purchase at the end of a month may be returned in the next month
      const due = monthlyInterest(Math.abs(balance), rate ?? "0");
      if (toLine) assert.equal(sum, due, `${name} ${key} ${month}`);
      checked += 1;
    }
    balances.set(from, (balances.get(from) ?? 0) - sum);
    balances.set(to, (balances.get(to) ?? 0) + sum);
  }
  return checked;
}
