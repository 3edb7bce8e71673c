import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { BankAccount } from "#src/bank/port.ts";
import { toNextPage } from "#test/browser.ts";
import type { Customer } from "#test/journeys/customer.ts";
import { type JourneyBed, openBefore } from "#test/journeys/journey-bed.ts";
import { picture } from "#test/journeys/page-bed.ts";
import { lodge, lodgeAccess } from "#test/journeys/payments.ts";
import { secondAccounts } from "./customers.ts";
import { openOver, type SecondBank, startSecondBank } from "./second-bank.ts";

// The choice of accounts of a customer who has many of several kinds, without script.

let second: SecondBank | undefined;
let opened: JourneyBed;
openBefore(
  (bed) => {
    opened = bed;
  },
  async () => {
    second = await startSecondBank();
    return openOver(second);
  },
);
after(() => second?.close());

const [current] = secondAccounts;
const { holders: _holders, bookedMinor: _booked, ...plain } = current as (typeof secondAccounts)[0];

const account = (nickname: string, more: Partial<BankAccount> = {}): BankAccount => ({
  ...plain,
  accountId: `many-${nickname}`,
  nickname,
  ...more,
});

const business = { accountType: "Business" as const, holderName: "Quill Binders Ltd" };
const savings = { accountSubType: "Savings" as const };
const personal = [
  account("Everyday"),
  account("Holiday", savings),
  account("Travel card", { accountSubType: "CreditCard", maskedPan: "**** 2716" }),
  account("Christmas", savings),
  account("Old bonds", { ...savings, status: "Disabled" }),
  account("Wedding", { accountSubType: "LimitedLiquiditySavings" }),
  account("Home", { accountSubType: "Mortgage" }),
];
const mixed = [
  ...personal,
  account("Trading", business),
  account("Payroll", business),
  account("Tax bill", { ...business, ...savings }),
];

/** Brings the customer, who has these accounts, to the page of the choice. */
async function visit(accounts: readonly BankAccount[], scope: "accounts" | "payments") {
  const answer = accounts.map((one, index) => ({
    ...one,
    funds: { bookedMinor: BigInt(index * 4321), availableMinor: 0n, currency: "GBP" },
  }));
  await second?.fail({ call: "listAccounts", how: "answer", answer });
  const { client, customers } = opened;
  const consentId = await (scope === "accounts"
    ? lodgeAccess(client)
    : lodge(client).then((lodged) => lodged.consentId));
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope, consentId }));
  await customer.login("ada", "ada's own password");
  await customer.factor();
  return customer;
}

/** The groups of the page: each heading with the accounts below it. */
const groupsOf = async ({ page }: Customer): Promise<Record<string, string[]>> => {
  const groups = await page.locator("fieldset.account-group").all();
  const rows = groups.map(
    async (group): Promise<[string, string[]]> => [
      ((await group.locator("> legend").textContent()) ?? "").trim(),
      await group.locator("> .account b").allInnerTexts(),
    ],
  );
  return Object.fromEntries(await Promise.all(rows));
};

const chosen = async ({ page }: Customer): Promise<string[]> =>
  page.locator("label.account:has(input:checked) b").allInnerTexts();

/** Presses a button by what a screen reader calls it. */
async function pressNamed({ page }: Customer, name: string): Promise<void> {
  await toNextPage(page, () => page.getByRole("button", { name, exact: true }).click());
}

test("a long list of accounts is in groups by kind, in the bank's order", async () => {
  const customer = await visit(personal, "accounts");
  assert.deepEqual(await groupsOf(customer), {
    "Current accounts": ["Everyday"],
    Savings: ["Holiday", "Christmas", "Old bonds", "Wedding"],
    Cards: ["Travel card"],
    "Loans and mortgages": ["Home"],
  });
  await customer.leave();
});

test("if a customer has personal and business accounts, the groups say which is which", async () => {
  const customer = await visit(mixed, "accounts");
  const groups = await groupsOf(customer);
  assert.deepEqual(groups["Business current accounts"], ["Trading", "Payroll"]);
  assert.deepEqual(groups["Business savings"], ["Tax bill"]);
  assert.deepEqual(groups["Personal current accounts"], ["Everyday"]);
  assert.equal(Object.keys(groups).length, 6);
  await picture(customer, "many-accounts");
  await customer.leave();
});

test("a group can be selected alone, and keeps what was chosen in others; the consent gets the choice", async () => {
  const customer = await visit(mixed, "accounts");
  await customer.mark("many-Trading");
  await pressNamed(customer, "Select all 3 of Personal savings");
  assert.deepEqual((await chosen(customer)).sort(), ["Christmas", "Holiday", "Trading", "Wedding"]);
  await pressNamed(customer, "Select none of Personal savings");
  assert.deepEqual(await chosen(customer), ["Trading"]);
  await pressNamed(customer, "Select all 9 accounts");
  assert.equal((await chosen(customer)).length, 9);
  await pressNamed(customer, "Select none");
  assert.deepEqual(await chosen(customer), []);
  await customer.mark("many-Payroll", "many-Home");
  await customer.press("approve");
  assert.ok((await customer.comeBack()).answer.code);
  await customer.leave();
});

test("a payer's long list has groups, but nothing to select all", async () => {
  const customer = await visit(mixed, "payments");
  assert.ok((await groupsOf(customer))["Business current accounts"]);
  assert.equal(await customer.page.locator("button[value^=all]").count(), 0);
  assert.equal((await customer.page.locator("input[type=radio]:enabled").count()) > 2, true);
  await picture(customer, "many-accounts-to-pay");
  await customer.leave();
});

test("a short list, and a list of one group, have no headings", async () => {
  for (const accounts of [
    personal.slice(0, 5),
    Array.from({ length: 8 }, (_, at) => account(`${at}`)),
  ]) {
    const customer = await visit(accounts, "accounts");
    assert.deepEqual(await groupsOf(customer), {});
    await customer.leave();
  }
});
