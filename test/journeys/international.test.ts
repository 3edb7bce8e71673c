import assert from "node:assert/strict";
import { test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import type { Customer, Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { nextMonday } from "./next-monday.ts";
import { picture } from "./page-bed.ts";
import { payees } from "./payees-abroad.ts";
import {
  loadFunds,
  lodge,
  type Order,
  order,
  type Resource,
  readConsent,
  readOrder,
  untilStatus,
} from "./payments.ts";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
openBefore(async (bed) => {
  ({ bank, customers, client } = bed);
  await bank.control("PUT", "/clock", { now: nextMonday(bank.clock.now()).toString() });
});

const german = payees.EUR.payee;
const euros = (initiation: object = {}): Order => ({
  kind: "international-payment",
  payee: german,
  initiation: {
    CurrencyOfTransfer: "EUR",
    InstructedAmount: { Amount: "250.00", Currency: "EUR" },
    ...initiation,
  },
});
const dollars = (initiation: object = {}): Order => ({
  kind: "international-payment",
  payee: { SchemeName: "UK.OBIE.BBAN", Identification: "000099000001", Name: "Bright Harbor" },
  initiation: {
    CurrencyOfTransfer: "USD",
    InstructedAmount: { Amount: "250.00", Currency: "USD" },
    CreditorAgent: { SchemeName: "UK.OBIE.BICFI", Identification: "NONEUS33" },
    ...initiation,
  },
});

async function accountIn(currency: string): Promise<string> {
  const accounts = await bank.currentAccounts("iris");
  return present(
    accounts.find((account) => account.currency === currency),
    currency,
  ).accountId;
}

const arriveAt = async (consentId: string): Promise<Customer> => {
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
  return customer;
};

/** Approves the payment on the page, and returns the token; `look` comes after the approval. */
async function approve(customer: Customer, look?: () => Promise<void>): Promise<string> {
  await customer.press("approve");
  const { url } = await customer.comeBack();
  await look?.();
  await customer.leave();
  return (await client.exchangeCode(url)).access_token;
}

test("a customer sees the firm rate, the amount debited and the amount the payee gets, and pays", async () => {
  const lodged = await lodge(
    client,
    dollars({
      ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Actual" },
      ExtendedPurpose: "Consulting",
    }),
  );
  const pounds = await accountIn("GBP");
  const before = await loadFunds(bank, pounds);
  const customer = await arriveAt(lodged.consentId);
  await customer.login("iris");
  const asked = await customer.text();
  await picture(customer, "code-international");
  await customer.factor();
  const choice = await customer.text();
  assert.match(choice, /The rate is for accounts in pounds\. This one is in euros\./);
  await picture(customer, "accounts");
  await customer.choose(pounds);
  const review = await customer.text();
  assert.match(review, /1 GBP = \d\.\d+ USD, fixed until \d+ \w+ 20\d\d at 10:15/);
  assert.match(review, /£10\.00: you pay ours; the payee’s bank may charge the payee/);
  assert.match(review, /Sent to the payee’s bank ?US\$250\.00/);
  assert.match(review, /NONEUS33 ?Payee’s bank in ?United States/);
  assert.match(review, /By SWIFT, usually within two working days/);
  assert.match(review, /Purpose ?Consulting/);
  const taken = present(
    /Taken from your account ?£(\d+\.\d\d) ?including £10\.00/.exec(review)?.[1],
    "debit",
  );
  assert.match(review, new RegExp(`Approve payment of £${taken.replace(".", "\\.")}`));
  // the code confirms what the review says
  for (const shown of [
    "Payee’s bankBIC NONEUS33",
    "Payee’s bank inUnited States",
    "£10.00: you pay ours",
    /Exchange rate1 GBP = [^,]+, fixed until [^.]+? at 10:15/.exec(review)?.[0] ?? "no rate",
  ]) {
    assert.ok(asked.includes(shown), `${shown} in ${asked}`);
    assert.ok(review.includes(shown), `${shown} in ${review}`);
  }
  assert.match(
    choice,
    new RegExp(`Taken from your account £${taken} including £10\\.00 in charges`),
  );
  // what leaves the account comes first, then its rate
  assert.match(asked, new RegExp(`Taken from your account£${taken}.*Exchange rate`, "s"));
  assert.equal(review.split("Taken from your account").length, 2, "the debit is said once");
  await picture(customer, "review-actual");
  const end = customer.page.url();
  const token = await approve(customer, async () => {
    await customer.open(end);
    const approved = await customer.text();
    assert.ok(
      approved.includes(`£${taken} leaves this account, including £10.00 in charges.`),
      approved,
    );
    await picture(customer, "approved-international");
  });
  const id = await order(client, lodged, token);
  await untilStatus(client, "international-payment", id, "ACCC");
  const { bookedMinor } = await loadFunds(bank, pounds);
  assert.equal(before.bookedMinor - bookedMinor, BigInt(Math.round(Number(taken) * 100)));
});

test("without a rate the review shows the current rate, and SEPA costs nothing", async () => {
  const lodged = await lodge(client, euros());
  const customer = await arriveAt(lodged.consentId);
  await customer.goToApproval("iris", await accountIn("GBP"));
  const review = await customer.text();
  assert.match(
    review,
    /Rate now ?1 GBP = \d\.\d+ EUR; we will use the rate at the time of payment/,
  );
  assert.match(review, /Taken from your account ?About £\d+\.\d\d/);
  assert.match(review, /Bank charges ?None from us/);
  // what the account pays is an estimate, so the button names the amount that is ordered
  assert.match(review, /Approve payment of €250\.00/);
  await picture(customer, "review-open");
  await customer.leave();
});

test("a payment in euros from a euro account needs no exchange", async () => {
  const lodged = await lodge(client, euros());
  const account = await accountIn("EUR");
  const before = await loadFunds(bank, account);
  const customer = await arriveAt(lodged.consentId);
  await customer.goToApproval("iris", account);
  const review = await customer.text();
  assert.match(review, /Taken from your account ?€250\.00/);
  assert.doesNotMatch(review, /[Rr]ate/);
  const token = await approve(customer);
  const id = await order(client, lodged, token);
  await untilStatus(client, "international-payment", id, "ACCC");
  assert.equal(before.bookedMinor - (await loadFunds(bank, account)).bookedMinor, 25_000n);
});

test("an agreed rate is shown for the account that it was agreed for", async () => {
  const account = await accountIn("GBP");
  const contract = await bank.control<{ contractIdentification: string; exchangeRate: number }>(
    "POST",
    "/exchange-contracts",
    { accountId: account, amount: { Amount: "5000.00", Currency: "USD" }, rate: "1.31" },
  );
  const agreed = {
    UnitCurrency: "GBP",
    RateType: "Agreed",
    ExchangeRate: contract.exchangeRate,
    ContractIdentification: contract.contractIdentification,
  };
  const lodged = await lodge(client, dollars({ ExchangeRateInformation: agreed }));
  const customer = await arriveAt(lodged.consentId);
  await customer.login("amara");
  await customer.factor();
  assert.match(await customer.text(), /The exchange rate was agreed for another account/);
  await customer.leave();
  const iris = await arriveAt(lodged.consentId);
  await iris.goToApproval("iris", account);
  assert.match(await iris.text(), /Agreed exchange rate ?1 GBP = 1\.31 USD/);
  await picture(iris, "review-agreed");
  const id = await order(client, lodged, await approve(iris));
  const { ExchangeRateInformation } = await untilStatus(
    client,
    "international-payment",
    id,
    "ACCC",
  );
  assert.deepEqual(ExchangeRateInformation, agreed);
});

test("a seeded exchange contract can be used for a payment", async () => {
  const agreed = {
    UnitCurrency: "EUR",
    RateType: "Agreed",
    ExchangeRate: 165.5,
    ContractIdentification: "FX-IRIS-EUR-JPY",
  };
  const yen = dollars({
    CurrencyOfTransfer: "JPY",
    InstructedAmount: { Amount: "33100", Currency: "JPY" },
    CreditorAgent: { SchemeName: "UK.OBIE.BICFI", Identification: "NONEJPJT" },
    ExchangeRateInformation: agreed,
  });
  const lodged = await lodge(client, yen);
  const account = await accountIn("EUR");
  const customer = await arriveAt(lodged.consentId);
  await customer.goToApproval("iris", account);
  const review = await customer.text();
  assert.match(review, /JP¥33,100/);
  // the rate is promised, but our charges are in pounds
  assert.match(
    review,
    /Taken from your account ?About €2\d\d\.\d\d ?including about €1\d\.\d\d in charges/,
  );
  const id = await order(client, lodged, await approve(customer));
  await untilStatus(client, "international-payment", id, "ACCC");
});

test("P-128: a debtor account in a currency other than UnitCurrency is refused when the consent is created", async () => {
  const accounts = await bank.currentAccounts("iris");
  const named = present(
    accounts.find(({ currency }) => currency === "EUR"),
    "euros",
  );
  const initiation = {
    InstructionIdentification: "i",
    EndToEndIdentification: "e",
    CreditorAccount: german,
    CurrencyOfTransfer: "USD",
    InstructedAmount: { Amount: "250.00", Currency: "USD" },
    DebtorAccount: { SchemeName: named.schemeName, Identification: named.identification },
    ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Indicative" },
  };
  const refused = await client.call<{ Errors: { Path: string }[] }>({
    path: "/v4.0/pisp/international-payment-consents",
    token: await client.clientToken("payments"),
    body: { Data: { Initiation: initiation }, Risk: {} },
  });
  expectStatus(refused, 400);
  assert.equal(
    refused.body.Errors[0]?.Path,
    "Data.Initiation.ExchangeRateInformation.UnitCurrency",
  );
});

test("P-128: a customer without an account in the rate's currency cannot pay, and the consent is RJCT", async () => {
  const lodged = await lodge(
    client,
    dollars({ ExchangeRateInformation: { UnitCurrency: "EUR", RateType: "Indicative" } }),
  );
  const customer = await arriveAt(lodged.consentId);
  await customer.login("amara");
  await customer.factor();
  assert.match(
    await customer.text(),
    /The rate is for accounts in euros\. This one is in pounds\./,
  );
  assert.equal(await customer.page.locator("input[name=account]:not([disabled])").count(), 0);
  await customer.press("cancel");
  await customer.leave();
  const { status } = await readConsent(client, "international-payment-consents", lodged.consentId);
  assert.equal(status, "RJCT");
});

test("a consent whose quote has expired cannot be confirmed and becomes RJCT", async () => {
  const lodged = await lodge(
    client,
    dollars({ ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Actual" } }),
  );
  await bank.advance("PT13M");
  const customer = await arriveAt(lodged.consentId);
  await customer.goToApproval("iris", await accountIn("GBP"));
  await bank.advance("PT2M");
  await customer.press("approve");
  assert.deepEqual(await readConsent(client, "international-payment-consents", lodged.consentId), {
    status: "RJCT",
    reasons: ["U042"],
  });
  await customer.leave();
});

test("the review of a scheduled payment with a firm rate shows the date and says that it is final", async () => {
  const day = bank.clock.now().toZonedDateTimeISO("Europe/London").toPlainDate().add({ days: 3 });
  const lodged = await lodge(client, {
    ...dollars({
      RequestedExecutionDateTime: `${day}T00:00:00+00:00`,
      ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Actual" },
    }),
    kind: "international-scheduled-payment",
  });
  const customer = await arriveAt(lodged.consentId);
  await customer.goToApproval("iris", await accountIn("GBP"));
  const review = await customer.text();
  assert.match(review, /set aside today and the payment cannot be cancelled/);
  assert.match(review, new RegExp(`Thursday ${day.day} `));
  await picture(customer, "review-scheduled");
  const id = await order(client, lodged, await approve(customer));
  await untilStatus(client, "international-scheduled-payment", id, "ACFC");
  const own = await customers.arrive({ javaScriptEnabled: false });
  await own.open(`${bank.publicUrl}/bank`);
  await own.login("iris");
  await own.factor();
  assert.match(await own.text(), /The rate is fixed and the money is set aside/);
  await picture(own, "own-pages");
  await own.leave();
  await bank.advance("P4D");
  const { Status } = await readOrder(client, "international-scheduled-payment", id);
  assert.equal(Status, "ACCC");
});

test("P-169, P-171: the second signatory sees the price of an international payment", async () => {
  const accounts = (await bank.customers()).find(({ login }) => login === "dev")?.accounts ?? [];
  const main = present(
    accounts.find(({ signatoriesRequired }) => signatoriesRequired === 2),
    "an account that two sign for",
  );
  const lodged = await lodge(
    client,
    dollars({ ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Actual" } }),
  );
  const dev = await arriveAt(lodged.consentId);
  await dev.goToApproval("dev", main.accountId);
  const id = await order(client, lodged, await approve(dev));
  const elin = await customers.arrive({ javaScriptEnabled: false });
  await elin.open(`${bank.publicUrl}/bank`);
  await elin.login("elin");
  await elin.factor();
  await elin.open(`${bank.publicUrl}/bank/approvals/${id}`);
  const shown = await elin.text();
  assert.match(shown, /1 GBP = \d\.\d+ USD, fixed until/);
  assert.match(shown, /Taken from your account ?£\d+\.\d\d ?including £10\.00 in charges/);
  assert.match(shown, /When ?Payment date ?Once all have approved/);
  await picture(elin, "approval");
  const [debit = ""] = /£\d+\.\d\d/.exec(shown) ?? [];
  await elin.press("approve");
  // what the code confirms has the debit that the page before has shown
  assert.ok((await elin.text()).includes(`Taken from your account${debit}`), debit);
  await elin.factor();
  await elin.leave();
  const { MultiAuthorisation } = await untilStatus(client, "international-payment", id, "ACCC");
  assert.equal((MultiAuthorisation as { Status: string }).Status, "AUTH");
});

test("an international payment is a transaction of its account with rate and amount", async () => {
  const consent = await client.call<Resource>({
    path: "/v3.1/aisp/account-access-consents",
    token: await client.clientToken("accounts"),
    body: {
      Data: {
        Permissions: ["ReadAccountsDetail", "ReadTransactionsDetail", "ReadTransactionsDebits"],
      },
      Risk: {},
    },
  });
  const account = await accountIn("GBP");
  const { access_token: token } = await bank.approve(client, {
    scope: "accounts",
    consentId: String(consent.body.Data.ConsentId),
    customer: "iris",
    accounts: [account],
  });
  const page = await client.call<{ Data: { Transaction: Record<string, unknown>[] } }>({
    path: `/v3.1/aisp/accounts/${account}/transactions`,
    token,
  });
  expectStatus(page, 200);
  const exchanged = page.body.Data.Transaction.filter((line) => "CurrencyExchange" in line);
  assert.ok(exchanged.length >= 3);
  for (const line of exchanged) {
    const { SourceCurrency, TargetCurrency } = line.CurrencyExchange as Record<string, string>;
    assert.deepEqual([SourceCurrency, TargetCurrency], ["GBP", "USD"]);
  }
});

test("every invariant holds after all international payments", async () => {
  assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });
});
