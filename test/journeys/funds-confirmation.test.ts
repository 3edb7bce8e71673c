// Confirmations of funds through a browser: from the approval until the customer stops the checks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ibanOf } from "#src/sandbox/bank/account-numbers.ts";
import { CardIssuer, named } from "#test/funds/card-issuer.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import type { Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";

let bank: TestBank;
let customers: Customers;
let issuer: CardIssuer;
openBefore((bed) => {
  ({ bank, customers } = bed);
  issuer = new CardIssuer(bank, bed.client, "/v4.0/cbpii");
});

test("C-032, C-110, C-112, C-113, C-114, C-115: a customer allows checks, sees each of them and stops them", async () => {
  const [everyday] = await bank.currentAccounts("amara");
  const account = named(everyday?.identification ?? null);
  const Name = "Amara's card account";
  const data = { DebtorAccount: { ...account.DebtorAccount, Name } };
  const consentId = await issuer.consentId({
    ...data,
    ExpirationDateTime: "2037-06-01T12:00:00Z",
  });
  const { client } = issuer;
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope: "fundsconfirmations", consentId }));
  await customer.login("amara");
  // the account is named, so its code is the approval
  const page = await customer.text();
  for (const shown of [/Test TPP/, /Amara's card account/, /On 1 June 2037/, /only yes or no/]) {
    assert.match(page, shown);
  }
  const number = everyday?.identification ?? "";
  assert.ok(page.replaceAll(/[\s-]/g, "").includes(`Numberintherequest${number}`), page);
  assert.equal(await customer.page.locator('[name="account"]').count(), 0);
  await customer.factor();
  const { url } = await customer.comeBack();
  await customer.leave();
  const token = (await client.exchangeCode(url)).access_token;
  const consent = { token, consentId };
  expectStatus(await issuer.ask(consent, "12.34", { reference: "Corner shop" }), 201);
  expectStatus(await issuer.ask(consent, "99999999.00", { reference: "A yacht" }), 201);
  expectStatus(await issuer.ask(consent, "5.00", { currency: "USD", reference: "Abroad" }), 400);

  const owner = await customers.enterBank(bank, "amara");
  assert.match(await owner.text(), /Open Banking connections/);
  assert.match(await owner.text(), /Test TPP Active Checks whether your account has enough money/);
  await owner.follow(`a[href="/bank/connections/${consentId}"]`);
  const checks = await owner.text();
  for (const shown of [
    /Everyday/,
    /On 1 June 2037/,
    /Yes, enough money.*Corner shop.*£12\.34/s,
    /No, not enough money.*A yacht/s,
    /No answer.*Abroad/s,
    /may then be\s+declined/,
    /\d+ \w+ \d{4} at \d\d:\d\d/,
  ]) {
    assert.match(checks, shown);
  }
  await owner.press("stop");
  assert.match(await owner.text(), /can no longer check whether your account has enough money/);
  // given and stopped on one day
  assert.match(await owner.text(), /Everyday ?On \d+ \w+ \d{4} ?View/);
  await owner.open(`${bank.publicUrl}/bank/connections/${consentId}`);
  assert.match(await owner.text(), /Stopped by you/);
  assert.match(await owner.text(), /Can no longer check/);
  // a consent that has ended does not say that it lasts
  assert.match(await owner.text(), /Ended ?On \d+ \w+ \d{4}/);
  assert.doesNotMatch(await owner.text(), /Ends ?On|1 June 2037/);
  await owner.leave();
  expectStatus(await issuer.ask(consent, "1.00"), 401);
  const { Status, StatusReason } = (await issuer.read(consentId)).body.Data;
  assert.equal(Status, "CANC");
  assert.equal((StatusReason as { StatusReasonCode: string }[])[0]?.StatusReasonCode, "CUST");
});

test("C-032: a customer sees the IBAN by which the card issuer named the account", async () => {
  const [everyday] = await bank.currentAccounts("amara");
  const iban = ibanOf(everyday?.identification ?? "");
  const DebtorAccount = { SchemeName: "UK.OBIE.IBAN", Identification: iban };
  const consentId = await issuer.consentId({ DebtorAccount });
  const customer = await customers.arrive({ javaScriptEnabled: false });
  const scope = "fundsconfirmations";
  await customer.open(await issuer.client.authorizationUrl({ scope, consentId }));
  await customer.login("amara");
  const page = await customer.text();
  assert.ok(page.replaceAll(/\s/g, "").includes(`Numberintherequest${iban}`), page);
  assert.match(page, /When you cancel it/);
  await customer.factor();
  assert.ok((await customer.comeBack()).answer.code);
  await customer.leave();
});

test("checks of an account that two must sign for need one approval, and the end does not speak of another", async () => {
  const dev = (await bank.customers()).find(({ login }) => login === "dev");
  const joint = dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired === 2);
  const consentId = await issuer.consentId(named(joint?.identification ?? null));
  const { client } = issuer;
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope: "fundsconfirmations", consentId }));
  await customer.login("dev");
  const end = customer.page.url();
  await customer.factor();
  const { answer } = await customer.comeBack();
  assert.ok(answer.code);
  await customer.open(end);
  const text = await customer.text();
  assert.match(text, /You allowed Test TPP to check whether/);
  assert.doesNotMatch(text, /We will not pay|approved it too/);
  await customer.leave();
});
