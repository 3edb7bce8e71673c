import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { guardBank } from "#src/bank/guarded-bank.ts";
import type { BankAccount } from "#src/bank/port.ts";
import { paymentConsentKinds } from "#src/payments/consent/journey-kinds.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type AccountKind, accountKinds } from "#src/standard/shared/accounts/account-kinds.ts";
import { paperBank } from "#test/auth/paper-bank.ts";
import type { TestBank } from "#test/harness.ts";
import { logIn } from "#test/journeys/log-in.ts";
import { lodgeAccess, order, untilStatus } from "#test/journeys/payments.ts";
import { secondAccounts } from "./customers.ts";
import { approved, openOver, type SecondBank, startSecondBank } from "./second-bank.ts";

let second: SecondBank;
let bank: TestBank;
let client: TppClient;

before(async () => {
  second = await startSecondBank();
  bank = await openOver(second, { BANK_BREAKER_FAILURES: 3, BANK_BREAKER_RETRY_MS: 60_000 });
  client = await bank.createTpp();
});
after(async () => {
  await bank?.close();
  await second?.close();
});

const [current] = secondAccounts;
const { holders: _holders, bookedMinor: _booked, ...plain } = current as (typeof secondAccounts)[0];

/** Opens the page on which a customer chooses accounts, and returns its status. */
async function choose(customer: string, accounts: string[]): Promise<number | undefined> {
  const consentId = await lodgeAccess(client);
  try {
    await bank.approve(client, { scope: "accounts", consentId, customer, accounts });
    return 200;
  } catch (error) {
    return Number(/\b(\d{3})\b/.exec(String(error))?.[1]);
  }
}

const kinds = Object.keys(accountKinds) as AccountKind[];

test("the port, the feed and both versions know the same 28 kinds of account", () => {
  assert.equal(kinds.length, 28);
});

for (const accountSubType of kinds) {
  test(`a customer with an account of the kind ${accountSubType} can share it and another one`, async () => {
    const other = { ...plain, accountId: "second-other", accountSubType, nickname: null };
    await second.fail({ call: "listAccounts", how: "answer", answer: [plain, other] });
    assert.equal(await choose("ada", ["second-current", "second-other"]), 200);
    await second.fail();
  });
}

const wrongItems: Record<string, unknown> = {
  "an unknown kind": { ...plain, accountId: "second-wrong", accountSubType: "Hovercraft" },
  "no currency": { ...plain, accountId: "second-wrong", currency: undefined },
  "a currency that is none": { ...plain, accountId: "second-wrong", currency: "pounds" },
  "a sort code without a number": {
    ...plain,
    accountId: "second-wrong",
    sortCodeAccountNumber: "12",
  },
  "an IBAN with wrong check digits": {
    ...plain,
    accountId: "second-wrong",
    iban: "GB00ALDG00100100000001",
  },
  "no id": { ...plain, accountId: undefined },
  "a balance that is not a bigint": { ...plain, accountId: "w", funds: { bookedMinor: 1 } },
  "null in place of an account": null,
  "a text in place of an account": "second-wrong",
};

for (const [what, item] of Object.entries(wrongItems)) {
  test(`an account with ${what} is left out, and the customer chooses among the others`, async () => {
    await second.fail({ call: "listAccounts", how: "answer", answer: [item, plain] });
    assert.equal(await choose("ada", ["second-current"]), 200);
    const { token } = await approved(bank, client, "1.01");
    assert.ok(token);
    await second.fail();
  });
}

test("an answer that is wrong as a whole is 503, and never opens the breaker for another customer", async () => {
  await second.fail({ call: "listAccounts", how: "answer", answer: { not: "a list" } });
  for (let tries = 0; tries < 5; tries += 1) {
    assert.equal(await choose("ada", ["second-current"]), 503);
  }
  await second.fail();
  assert.equal(await choose("bob", ["second-bob"]), 200);
  const metrics = await (await fetch(`${bank.managementUrl}/metrics`)).text();
  assert.match(metrics, /aldgate_bank_up\{group="read"\} 1/);
});

test("five customers whose challenge or name is wrong do not lock out a sixth", async () => {
  await second.fail({ call: "challenge", how: "answer", answer: { challengeId: 1 } });
  for (let tries = 0; tries < 5; tries += 1) {
    assert.equal(await choose("ada", ["second-current"]), 503);
  }
  await second.fail({ call: "loadCustomer", how: "answer", answer: "Ada" });
  for (let tries = 0; tries < 5; tries += 1) await choose("ada", ["second-current"]);
  await second.fail();
  assert.equal(await choose("bob", ["second-bob"]), 200);
});

test("a payment on which the core answers wrongly is paid later, and its group is never paused", async () => {
  const bad = await approved(bank, client, "71.01");
  await second.fail({ call: "reserve", how: "answer", answer: "?", amountMinor: "7101" });
  const id = await order(client, bad.lodged, bad.token);
  for (const amount of ["71.02", "71.03"]) {
    const { lodged, token } = await approved(bank, client, amount);
    await untilStatus(client, "domestic-payment", await order(client, lodged, token), "ACCC");
  }
  await second.fail();
  await untilStatus(client, "domestic-payment", id, "ACCC");
});

test("payments cannot be made from cards on credit, loans and other accounts that are not for payments", () => {
  const [kind] = paymentConsentKinds(paymentKinds, {} as never);
  const consent = { body: {}, terms: {} } as never;
  const refused = kinds.filter((accountSubType) =>
    kind
      ?.whyNotEligible(consent, { ...plain, accountSubType, currency: "EUR" } as BankAccount)
      ?.startsWith("Payments cannot be made from"),
  );
  assert.deepEqual(refused.sort(), [
    "ChargeCard",
    "Charges",
    "ClearingParticipantSettlement",
    "CreditCard",
    "LimitedLiquiditySavings",
    "Loan",
    "MarginalLending",
    "Mortgage",
    "Overdraft",
  ]);
});

test("a balance that the core gives in a wrong form is left out, and the page opens", async () => {
  const wrong = { bookedMinor: "1", availableMinor: 1n, currency: "GBP" };
  const answer = new Map<string, unknown>([["second-current", wrong]]);
  await second.fail({ call: "loadFunds", how: "answer", answer });
  const customers = await fetch(`${bank.publicUrl}/sandbox/v1/customers`);
  assert.equal(customers.status, 200);
  await second.fail();
});

test("an account whose funds the core leaves out is shown without a balance, and the others with theirs", async () => {
  const known = { bookedMinor: 123_456n, availableMinor: 100_000n, currency: "GBP" };
  const answer = new Map([["second-poor", known]]);
  // a core may give the balances alone
  const listed = await bank.bank.listAccounts("second-ada");
  await second.fail(
    { call: "listAccounts", how: "answer", answer: listed },
    { call: "loadFunds", how: "answer", answer },
  );
  const { shown } = await logIn(bank, "ada");
  const tiles = [...shown.body.matchAll(/<li class="card tile">.*?<\/li>/gs)].map(([tile]) => tile);
  assert.equal(tiles.length, 4);
  for (const tile of tiles) {
    const isKnown = tile.includes("10000002");
    assert.deepEqual(tile.match(/-?£[\d,.]+/g), isKnown ? ["£1,234.56", "£1,000.00"] : null, tile);
    assert.equal(tile.includes("available"), isKnown, tile);
  }
  const ada = (await bank.customers()).find(({ login }) => login === "ada");
  assert.deepEqual(
    ada?.accounts.map(({ accountId, balance }) => [accountId, balance]),
    [
      ["second-current", null],
      ["second-poor", "1234.56"],
      ["second-blocked", null],
      ["second-joint", null],
    ],
  );
  const list = await (await fetch(`${bank.publicUrl}/sandbox/customers`)).text();
  assert.match(list, /60837110000002, 1234\.56 GBP/);
  assert.doesNotMatch(list, /null/);
  await second.fail();
});

test("the log names each item that is left out once, with the rule and without its values", async () => {
  const said: object[] = [];
  const log = { error: (details: object) => void said.push(details), warn: () => undefined };
  const deadlinesMs = {
    identify: 1000,
    read: 1000,
    document: 1000,
    quote: 1000,
    execute: 1000,
    tell: 1000,
  };
  const limits = { callsAtOnce: 10, failures: 5, retryMs: 1000 };
  const wrong = { ...plain, currency: 826, holderName: "Ada Quill" };
  const listAccounts = async () => [wrong as unknown as BankAccount];
  const guarded = guardBank({ ...paperBank, listAccounts }, { ...limits, deadlinesMs, log });
  for (let calls = 0; calls < 3; calls += 1) {
    assert.deepEqual(await guarded.bank.listAccounts("ada"), []);
  }
  assert.deepEqual(said, [
    { call: "listAccounts", item: "second-current", reason: "/currency must be string" },
  ]);
});
