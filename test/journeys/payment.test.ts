import assert from "node:assert/strict";
import { constants, verify, X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import { decodeJwt } from "jose";
import { present } from "#src/lib/assert.ts";
import type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { paymentsOf } from "#test/payments/stored-orders.ts";
import { postingsOf } from "#test/sandbox/stored-ledger.ts";
import { type Customers, openCustomers } from "./customer.ts";
import { picture } from "./page-bed.ts";
import {
  loadFunds,
  lodge,
  lodgeAccess,
  order,
  type Resource,
  readConsent,
  readOrder,
  untilStatus,
} from "./payments.ts";

let bank: TestBank;
let customers: Customers;
before(async () => {
  [bank, customers] = await Promise.all([openBank(), openCustomers()]);
});
after(async () => {
  await customers?.close();
  await bank?.close();
});

const createTpp = (request: Partial<TppRequest> = {}): Promise<TppClient> =>
  bank.createTpp({ redirectUris: [customers.redirectUri], ...request });

test("a key's certificate is enough to verify the signature of a response", async () => {
  const client = await createTpp();
  const { consentId } = await lodge(client);
  const answer = await client.call<Resource>({
    path: `/v4.0/pisp/domestic-payment-consents/${consentId}`,
    token: await client.clientToken("payments"),
  });
  const parts = String(answer.headers["x-jws-signature"]).split(".");
  const [header = "", payload, signature = ""] = parts;
  assert.equal(payload, "");
  const { kid, alg } = JSON.parse(Buffer.from(header, "base64url").toString());
  assert.equal(alg, "PS256");
  type Key = { kid: string; x5c: string[] };
  const answered = await fetch(`${bank.publicUrl}/jwks`);
  const { keys } = (await answered.json()) as { keys: Key[] };
  const { x5c } = present(
    keys.find((one) => one.kid === kid),
    kid,
  );
  const { publicKey: key } = new X509Certificate(Buffer.from(present(x5c[0], "x5c"), "base64"));
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const verifies = (body: Buffer): boolean =>
    verify(
      "sha256",
      Buffer.from(`${header}.${body.toString("base64url")}`),
      { key, padding, saltLength: 32 },
      Buffer.from(signature, "base64url"),
    );
  assert.ok(verifies(answer.raw));
  assert.ok(!verifies(Buffer.concat([answer.raw, Buffer.from(" ")])));
});

type Transactions = { Data: { Transaction: Record<string, unknown>[] } };
type Details = { Data: { PaymentStatus: Record<string, string>[] } };

/** Reads the booked transactions of an account through a consent that is approved in a browser. */
async function readTransactions(
  client: TppClient,
  login: string,
  accountId: string,
): Promise<Record<string, unknown>[]> {
  const consentId = await lodgeAccess(client);
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope: "accounts", consentId }));
  await customer.goToApproval(login, accountId);
  await customer.press("approve");
  const { url } = await customer.comeBack();
  await customer.leave();
  const { access_token: token } = await client.exchangeCode(url);
  const accounts = await client.call<{ Data: { Account: { AccountId: string }[] } }>({
    path: "/v3.1/aisp/accounts",
    token,
  });
  expectStatus(accounts, 200);
  assert.deepEqual(
    accounts.body.Data.Account.map(({ AccountId }) => AccountId),
    [accountId],
  );
  const page = await client.call<Transactions>({
    path: `/v3.1/aisp/accounts/${accountId}/transactions`,
    token,
  });
  expectStatus(page, 200);
  return page.body.Data.Transaction;
}

async function payInBrowser(client: TppClient, options = {}): Promise<void> {
  const payee = (await bank.currentAccounts("chloe"))[0];
  const payer = (await bank.currentAccounts("amara"))[0];
  assert.ok(payer && payee);
  const before = await loadFunds(bank, payer.accountId);
  const creditorBefore = await loadFunds(bank, payee.accountId);
  const lodged = await lodge(client, {
    amount: "234.56",
    payee: {
      SchemeName: payee.schemeName,
      Identification: payee.identification,
      Name: "Chloe Whitfield",
    },
  });
  const customer = await customers.arrive(options);
  await customer.open(
    await client.authorizationUrl({
      scope: "payments",
      consentId: lodged.consentId,
      state: "state-1",
    }),
  );
  assert.equal(await customer.shown(), "login");
  await customer.login("amara");
  assert.equal(await customer.shown(), "factor");
  assert.match(await customer.text(), /Pay\s*£234\.56\s+To\s*Chloe Whitfield/);
  await customer.factor();
  assert.equal(await customer.shown(), "accounts");
  await customer.mark(payer.accountId);
  const asked = await customer.text();
  assert.match(asked, /£234\.56/);
  assert.match(asked, /Chloe Whitfield/);
  assert.match(asked, new RegExp(payee.identification.slice(6)));
  assert.match(asked, new RegExp(payer.identification.slice(6)));
  assert.match(asked, /Invoice 42/);
  await customer.press("approve");
  const { url, answer } = await customer.comeBack();
  await customer.leave();
  assert.equal(answer.state, "state-1");
  assert.ok(answer.code && answer.id_token);
  const claims = decodeJwt(answer.id_token);
  assert.equal(claims.iss, bank.publicUrl);
  assert.equal(claims.openbanking_intent_id, lodged.consentId);
  assert.equal(claims.acr, "urn:openbanking:psd2:sca");
  assert.equal(
    (await readConsent(client, "domestic-payment-consents", lodged.consentId)).status,
    "AUTH",
  );

  const tokens = await client.exchangeCode(url);
  const orderId = await order(client, lodged, tokens.access_token);
  assert.equal(
    (await readConsent(client, "domestic-payment-consents", lodged.consentId)).status,
    "COND",
  );
  // the creditor is a customer of this bank, so no other bank delays the payment
  const settled = await untilStatus(client, "domestic-payment", orderId, "ACCC");
  assert.equal(settled.Initiation !== undefined, true);
  const funds = await loadFunds(bank, payer.accountId);
  assert.equal(before.bookedMinor - funds.bookedMinor, 23_456n);
  const creditor = await loadFunds(bank, payee.accountId);
  assert.equal(creditor.bookedMinor - creditorBefore.bookedMinor, 23_456n);

  const details = await client.call<Details>({
    path: `/v4.0/pisp/domestic-payments/${orderId}/payment-details`,
    token: await client.clientToken("payments"),
  });
  expectStatus(details, 200);
  const paymentId = details.body.Data.PaymentStatus[0]?.PaymentTransactionId;
  assert.ok(paymentId);
  const shown = await readTransactions(client, "amara", payer.accountId);
  const own = shown.filter((one) => JSON.stringify(one).includes(paymentId));
  assert.equal(own.length, 1, "the payment is one transaction of the account");
  assert.deepEqual(own[0]?.Amount, { Amount: "234.56", Currency: "GBP" });
  assert.equal(own[0]?.CreditDebitIndicator, "Debit");
  assert.equal(own[0]?.Status, "Booked");
  const received = await readTransactions(client, "chloe", payee.accountId);
  const theirs = received.filter((one) => JSON.stringify(one).includes("234.56"));
  assert.ok(theirs.some((one) => one.CreditDebitIndicator === "Credit"));
  assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });
}

test("a payment goes from consent to the ledger and the account read back, over mutual TLS", async () => {
  await payInBrowser(await createTpp());
});

test("the journey works on a phone of 360 pixels, for a TPP that authenticates by certificate", async () => {
  await payInBrowser(await createTpp({ tokenEndpointAuthMethod: "tls_client_auth" }), {
    viewport: { width: 360, height: 740 },
  });
});

test("the journey works without script, for a TPP with unbound tokens", async () => {
  await payInBrowser(await createTpp({ certificateBound: false }), {
    javaScriptEnabled: false,
  });
});

test("if the TPP named the account, the code page shows the whole payment, and the code approves it", async () => {
  const client = await createTpp();
  const payer = present((await bank.currentAccounts("amara"))[0], "an account");
  const { schemeName: SchemeName, identification: Identification } = payer;
  const DebtorAccount = { SchemeName, Identification, Name: "Amara's account" };
  const lodged = await lodge(client, { amount: "12.34", initiation: { DebtorAccount } });
  const { consentId } = lodged;
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(await client.authorizationUrl({ scope: "payments", consentId }));
  await customer.login("amara");
  const asked = await customer.text();
  for (const text of ["£12.34", `FromAccountending ${Identification.slice(-4)}`, "Invoice 42"]) {
    assert.ok(asked.includes(text), `${text} in ${asked}`);
  }
  assert.doesNotMatch(asked, /Amara's account/, "the TPP's name of an account is not the bank's");
  await picture(customer, "payment-named-account");
  await customer.enterCode("000000");
  await customer.press("approve");
  assert.match(await customer.text(), /That code is not right/);
  assert.equal((await readConsent(client, "domestic-payment-consents", consentId)).status, "AWAU");
  await customer.enterCode();
  await customer.press("approve");
  const { url } = await customer.comeBack();
  await customer.leave();
  const { access_token: token } = await client.exchangeCode(url);
  const paid = await untilStatus(
    client,
    "domestic-payment",
    await order(client, lodged, token),
    "ACCC",
  );
  assert.equal(
    (paid.Initiation as { DebtorAccount: { Name: string } }).DebtorAccount.Name,
    "Amara's account",
  );
});

test("a payment to another bank is debited first, and credited when that bank has posted it", async () => {
  const client = await createTpp();
  const [payer] = await bank.currentAccounts("amara");
  assert.ok(payer);
  const lodged = await lodge(client, {
    payee: {
      SchemeName: "UK.OBIE.SortCodeAccountNumber",
      Identification: "00990000000002",
      Name: "Slow Bank",
    },
  });
  const tokens = await bank.approve(client, {
    scope: "payments",
    consentId: lodged.consentId,
    customer: "amara",
    accounts: [payer.accountId],
  });
  const id = await order(client, lodged, tokens.access_token);
  await untilStatus(client, "domestic-payment", id, "ACSC");
  await bank.advance("PT11M");
  await untilStatus(client, "domestic-payment", id, "ACCC");
});

test("a scheduled payment is made on its day, and not before", async () => {
  const client = await createTpp();
  const own = await bank.currentAccounts("chloe");
  const payer = own.find(({ nickname }) => nickname === "Chloe's account");
  assert.ok(payer);
  const day = bank.clock.now().toZonedDateTimeISO("UTC").toPlainDate().add({ days: 35 });
  const lodged = await lodge(client, {
    kind: "domestic-scheduled-payment",
    amount: "7.77",
    initiation: { RequestedExecutionDateTime: `${day}T00:00:00+00:00` },
  });
  const customer = await customers.arrive();
  await customer.open(
    await client.authorizationUrl({ scope: "payments", consentId: lodged.consentId }),
  );
  await customer.goToApproval("chloe", payer.accountId);
  assert.match(await customer.text(), /Payment date\s?\w+ \d+ \w+ 20\d\d/);
  await customer.press("approve");
  const { url } = await customer.comeBack();
  await customer.leave();
  const tokens = await client.exchangeCode(url);
  const id = await order(client, lodged, tokens.access_token);
  // wages, direct debits and standing orders are processed meanwhile
  const debits = async () =>
    (await postingsOf(bank.database, await paymentsOf(bank.database, id)))
      .filter(({ from }) => from === payer.accountId)
      .map(({ amountMinor }) => amountMinor);
  await bank.advance("P34D");
  const waiting = await readOrder(client, "domestic-scheduled-payment", id);
  assert.notEqual(waiting.Status, "ACSC");
  assert.deepEqual(await debits(), []);
  await bank.advance("P6D");
  const done = await untilStatus(client, "domestic-scheduled-payment", id, "ACSC", "ACCC");
  const executed = Temporal.Instant.from(String(done.StatusUpdateDateTime));
  const executedOn = executed.toZonedDateTimeISO("Europe/London").toPlainDate();
  const late = executedOn.since(day).days;
  // if the day is on a weekend or a bank holiday, the payment is made on the next working day
  assert.ok(late >= 0 && late <= 4, `executed on ${executedOn}, asked for ${day}`);
  assert.deepEqual(await debits(), [777n]);
  const details = await client.call<Details>({
    path: `/v4.0/pisp/domestic-scheduled-payments/${id}/payment-details`,
    token: await client.clientToken("payments"),
  });
  expectStatus(details, 200);
  assert.equal(details.body.Data.PaymentStatus.length, 1);
  const entry: Resource["Data"] | undefined = details.body.Data.PaymentStatus[0];
  assert.ok(entry?.PaymentTransactionId);
});
