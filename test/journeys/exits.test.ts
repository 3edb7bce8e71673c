import assert from "node:assert/strict";
import { test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TestBank } from "#test/harness.ts";
import type { Customer, Customers } from "./customer.ts";
import { openBefore } from "./journey-bed.ts";
import { type Lodged, lodge, lodgeAccess, order, quickPayee, readConsent } from "./payments.ts";

let bank: TestBank;
let customers: Customers;
let client: TppClient;
openBefore((bed) => {
  ({ bank, customers, client } = bed);
});

/** Opens the first page of a payment for a customer, and returns the consent. */
async function beginPayment(
  given: Parameters<typeof lodge>[1] = {},
): Promise<{ customer: Customer; lodged: Lodged; url: string }> {
  const lodged = await lodge(client, given);
  const consentId = lodged.consentId;
  const url = await client.authorizationUrl({ scope: "payments", consentId, state: "s-1" });
  const customer = await customers.arrive({ javaScriptEnabled: false });
  await customer.open(url);
  return { customer, lodged, url };
}

const paymentConsent = (consentId: string) =>
  readConsent(client, "domestic-payment-consents", consentId);
const accessConsent = (consentId: string) =>
  readConsent(client, "account-access-consents", consentId);

/** Checks that the browser comes back with this error, and that the consent is rejected. */
async function expectRejected(
  customer: Customer,
  consentId: string,
  error: string,
  reason: string,
): Promise<void> {
  const { answer } = await customer.comeBack();
  await customer.leave();
  assert.equal(answer.error, error);
  assert.equal(answer.state, "s-1");
  assert.equal(answer.iss, bank.publicUrl);
  assert.ok(answer.error_description);
  assert.equal(answer.code, undefined);
  const { status, reasons } = await paymentConsent(consentId);
  assert.equal(status, "RJCT");
  assert.deepEqual(reasons, [reason]);
}

const amaraAccount = async (): Promise<string> => {
  const [account] = await bank.currentAccounts("amara");
  assert.ok(account);
  return account.accountId;
};

for (const page of ["login", "factor", "accounts"] as const) {
  test(`P-105: cancelling at any page returns access_denied, and the consent is RJCT (${page})`, async () => {
    const { customer, lodged } = await beginPayment();
    if (page !== "login") await customer.login("amara");
    if (page === "accounts") await customer.factor();
    assert.equal(await customer.shown(), page);
    await customer.press("cancel");
    await expectRejected(customer, lodged.consentId, "access_denied", "U033");
  });
}

test("five wrong passwords end the journey, and lock the login for 15 minutes", async () => {
  const { customer, lodged } = await beginPayment();
  for (let turn = 0; turn < 5; turn += 1) {
    assert.equal(await customer.shown(), "login");
    await customer.login("finn", "wrong");
  }
  await expectRejected(customer, lodged.consentId, "access_denied", "U033");
  const next = await beginPayment();
  await next.customer.login("finn");
  assert.equal(await next.customer.shown(), "login", "even the right password has to wait");
  await bank.advance("PT16M");
  const later = await beginPayment();
  await later.customer.login("finn");
  assert.equal(await later.customer.shown(), "factor");
  await Promise.all([next.customer.leave(), later.customer.leave()]);
});

test("concurrent wrong passwords are all counted", async () => {
  const { customer, lodged } = await beginPayment();
  const hidden = await customer.hidden();
  const guess = (password: string) =>
    customer.context.request.post(customer.page.url(), {
      form: { ...hidden, login: "grace", password, decision: "continue" },
      maxRedirects: 0,
    });
  // every attempt after the first five must wait, even with the right password
  const wrong = Array.from({ length: 20 }, (_, index) => guess(`guess-${index}`));
  await Promise.all(wrong);
  await guess("grace-sandbox");
  await customer.page.reload();
  assert.notEqual(await customer.shown(), "factor");
  await expectRejected(customer, lodged.consentId, "access_denied", "U033");
  const next = await beginPayment();
  await next.customer.login("grace");
  assert.equal(await next.customer.shown(), "login");
  await next.customer.leave();
});

test("five wrong codes end the journey", async () => {
  const { customer, lodged } = await beginPayment();
  await customer.login("ben");
  for (let turn = 0; turn < 5; turn += 1) {
    assert.equal(await customer.shown(), "factor");
    await customer.factor("000000");
  }
  await expectRejected(customer, lodged.consentId, "access_denied", "U033");
});

test("a customer who is too late sees a page that says so, and the TPP gets access_denied", async () => {
  const { customer, lodged } = await beginPayment();
  await customer.login("amara");
  await customer.factor();
  await bank.advance("PT6M");
  const shown = await customer.context.request.get(customer.page.url());
  assert.match(await shown.text(), /Your time has run out/);
  await customer.page.reload();
  await expectRejected(customer, lodged.consentId, "access_denied", "U036");
});

test("a consent whose customer leaves after logging in is rejected with U036 when the journey times out", async () => {
  const { customer, lodged } = await beginPayment();
  await customer.login("amara");
  await customer.leave();
  assert.equal((await paymentConsent(lodged.consentId)).status, "AWAU");
  await bank.advance("PT16M");
  assert.deepEqual(await paymentConsent(lodged.consentId), { status: "RJCT", reasons: ["U036"] });
});

test("P-104: a consent that nobody opens is rejected when it times out", async () => {
  const payment = await lodge(client);
  const access = await lodgeAccess(client);
  await bank.advance("PT61M");
  assert.equal((await paymentConsent(payment.consentId)).status, "RJCT");
  assert.equal((await accessConsent(access)).status, "Rejected");
});

test("back, reload and forward show the current step, and the journey continues", async () => {
  const { customer, lodged } = await beginPayment();
  await customer.login("amara");
  await customer.page.reload();
  assert.equal(await customer.shown(), "factor");
  await customer.page.goBack();
  await customer.page.reload();
  assert.equal(await customer.shown(), "factor");
  await customer.factor();
  await customer.page.goBack();
  await customer.page.reload();
  assert.equal(await customer.shown(), "accounts");
  await customer.choose(await amaraAccount());
  const { url, answer } = await customer.comeBack();
  assert.ok(answer.code);
  assert.equal((await paymentConsent(lodged.consentId)).status, "AUTH");
  // going back to the bank after the response shows that the journey is over, and changes nothing
  await customer.page.goBack();
  await customer.page.reload();
  assert.doesNotMatch(await customer.text(), /Log in|Security code/);
  assert.equal((await paymentConsent(lodged.consentId)).status, "AUTH");
  await customer.leave();
  await client.exchangeCode(url);
});

test("a form that is submitted twice concurrently takes effect once", async () => {
  const { customer, lodged } = await beginPayment();
  await customer.goToApproval("amara", await amaraAccount());
  const hidden = await customer.hidden();
  const account = await amaraAccount();
  const send = () =>
    customer.context.request.post(customer.page.url(), {
      form: { ...hidden, account, decision: "approve" },
      maxRedirects: 0,
    });
  const answers = await Promise.all([send(), send(), send()]);
  // the one that took effect gets the last page, the others are sent to the journey's present page
  assert.deepEqual(answers.map((answer) => answer.status()).sort(), [200, 303, 303]);
  await customer.page.reload();
  const { url } = await customer.comeBack();
  await customer.leave();
  assert.equal((await paymentConsent(lodged.consentId)).status, "AUTH");
  await client.exchangeCode(url);
  const token = { grant_type: "authorization_code", redirect_uri: customers.redirectUri };
  const code = new URLSearchParams(new URL(url).hash.slice(1)).get("code") ?? "";
  const again = await client.tokenAnswer({ ...token, code });
  assert.equal(again.status, 400);
  assert.equal((again.body as { error: string }).error, "invalid_grant");
});

test("approving and cancelling concurrently has one outcome, the same in every window", async () => {
  const { customer, lodged } = await beginPayment();
  await customer.goToApproval("amara", await amaraAccount());
  const hidden = await customer.hidden();
  const account = await amaraAccount();
  const send = (decision: string) =>
    customer.context.request.post(customer.page.url(), {
      form: { ...hidden, account, decision },
      maxRedirects: 0,
    });
  await Promise.all([send("approve"), send("cancel"), send("approve"), send("cancel")]);
  await customer.page.reload();
  const { answer } = await customer.comeBack();
  await customer.leave();
  const { status } = await paymentConsent(lodged.consentId);
  assert.equal(status, answer.code ? "AUTH" : "RJCT");
});

test("a link that is open in two tabs can be approved once, in either tab", async () => {
  const { customer, lodged, url } = await beginPayment();
  const other = await customer.openTab();
  await other.open(url);
  await customer.goToApproval("amara", await amaraAccount());
  await other.goToApproval("amara", await amaraAccount());
  await other.press("approve");
  assert.ok((await other.comeBack()).answer.code);
  await customer.press("approve");
  assert.equal((await customer.comeBack()).answer.error, "access_denied");
  assert.equal((await paymentConsent(lodged.consentId)).status, "AUTH");
  await customer.leave();
});

test("a form without the page's token is refused and changes nothing", async () => {
  const { customer, lodged } = await beginPayment();
  await customer.goToApproval("amara", await amaraAccount());
  const forged = await customer.context.request.post(customer.page.url(), {
    form: {
      ...(await customer.hidden()),
      account: await amaraAccount(),
      csrf: "x",
      decision: "approve",
    },
  });
  assert.equal(forged.status(), 403);
  assert.equal((await paymentConsent(lodged.consentId)).status, "AWAU");
  const stranger = await customers.arrive();
  await stranger.open(customer.page.url());
  assert.match(await stranger.text(), /We cannot continue.*check what has been done before you/s);
  await Promise.all([stranger.leave(), customer.leave()]);
});

test("T4: a debtor account of another customer ends in access_denied and RJCT with AC02", async () => {
  const [chloe] = await bank.currentAccounts("chloe");
  const { customer, lodged } = await beginPayment({
    initiation: {
      DebtorAccount: {
        SchemeName: chloe?.schemeName,
        Identification: chloe?.identification,
        Name: "Chloe",
      },
    },
  });
  await customer.login("amara");
  assert.doesNotMatch(await customer.text(), /Your account/, "it is not hers");
  await customer.factor();
  await expectRejected(customer, lodged.consentId, "access_denied", "AC02");
});

/**
 * Opens an authorization request that must fail before any page. Returns the response to the TPP.
 */
async function answerAtOnce(url: string): Promise<Record<string, string>> {
  const customer = await customers.arrive();
  await customer.open(url);
  const { answer } = await customer.comeBack();
  await customer.leave();
  return answer;
}

test("an unknown, foreign or used intent, or one of the other API, is returned as an error", async () => {
  const stranger = await bank.createTpp({ redirectUris: [customers.redirectUri] });
  const foreign = await lodge(stranger);
  const spent = await lodge(client);
  const tokens = await bank.approve(client, {
    scope: "payments",
    consentId: spent.consentId,
    customer: "amara",
    accounts: [await amaraAccount()],
  });
  await order(client, spent, tokens.access_token);
  const access = await lodgeAccess(client);
  for (const consentId of ["no-such-consent", foreign.consentId, spent.consentId, access]) {
    const answer = await answerAtOnce(
      await client.authorizationUrl({ scope: "payments", consentId, state: "s-2" }),
    );
    assert.equal(answer.error, "invalid_request", consentId);
    assert.equal(answer.state, "s-2");
    assert.ok(answer.error_description);
    assert.equal(answer.code, undefined);
  }
});

test("an invalid request object is returned as an error, before any page", async () => {
  const { consentId } = await lodge(client);
  const good = await client.authorizationUrl({ scope: "payments", consentId });
  const parts = (new URL(good).searchParams.get("request") ?? "").split(".");
  for (const [request, error] of [
    [null, "invalid_request"],
    ["abc", "invalid_request_object"],
    [`${parts[0]}.${parts[1]}.${"A".repeat(342)}`, "invalid_request_object"],
    [`${parts[0]}.${parts[1]}.`, "invalid_request_object"],
  ] as const) {
    const url = new URL(good);
    if (request === null) url.searchParams.delete("request");
    else url.searchParams.set("request", request);
    assert.equal((await answerAtOnce(url.href)).error, error, request ?? "none");
  }
  assert.equal((await paymentConsent(consentId)).status, "AWAU");
});

test("without a trustworthy redirect URI the journey ends on the bank's own page", async () => {
  const { consentId } = await lodge(client);
  const good = await client.authorizationUrl({ scope: "payments", consentId });
  const foreign = await client.authorizationUrl({
    scope: "payments",
    consentId,
    redirectUri: "https://evil.example/callback",
  });
  const nobody = new URL(good);
  nobody.searchParams.set("client_id", "nobody");
  const anonymous = new URL(good);
  anonymous.searchParams.delete("client_id");
  for (const url of [foreign, nobody.href, anonymous.href]) {
    const customer = await customers.arrive();
    const response = await customer.page.goto(url);
    assert.equal(response?.status(), 400, url);
    assert.ok(customer.page.url().startsWith(bank.publicUrl), url);
    assert.match(await customer.text(), /Reference/);
    assert.equal(await customer.page.locator("form").count(), 0);
    await customer.leave();
  }
  assert.equal((await paymentConsent(consentId)).status, "AWAU");
});

test("A-110: only the customer who authorised a consent can authorise it again", async () => {
  const consentId = await lodgeAccess(client);
  const accounts = [await amaraAccount()];
  const grant = { scope: "accounts", consentId, customer: "amara", accounts } as const;
  const first = await bank.approve(client, grant);
  const read = (token: string) => client.call({ path: "/v3.1/aisp/accounts", token });
  assert.equal((await read(first.access_token)).status, 200);
  const request = async () =>
    client.authorizationUrl({ scope: "accounts", consentId, state: "s-3" });

  const other = await customers.arrive();
  await other.open(await request());
  await other.login("chloe");
  await other.factor();
  assert.equal((await other.comeBack()).answer.error, "access_denied");
  await other.leave();
  assert.equal((await accessConsent(consentId)).status, "Authorised");

  const own = await customers.arrive();
  await own.open(await request());
  await own.login("amara");
  await own.press("cancel");
  assert.equal((await own.comeBack()).answer.error, "access_denied");
  assert.equal((await accessConsent(consentId)).status, "Authorised");
  assert.equal((await read(first.access_token)).status, 200);

  await own.open(await request());
  await own.login("amara");
  assert.ok(await own.canApprove(), "the accounts are those chosen before");
  await own.factor();
  const { url } = await own.comeBack();
  await own.leave();
  const second = await client.exchangeCode(url);
  assert.equal((await read(second.access_token)).status, 200);
  assert.equal((await read(first.access_token)).status, 401, "the earlier grant is gone");
  assert.ok(first.refresh_token);
  const refused = await client.tokenAnswer({
    grant_type: "refresh_token",
    refresh_token: first.refresh_token,
  });
  assert.equal((refused.body as { error: string }).error, "invalid_grant");
});

test("a customer without an account that can pay can only go back, and the consent is RJCT", async () => {
  const { customer, lodged } = await beginPayment({ payee: quickPayee });
  await customer.login("amara");
  await customer.factor();
  const disabled = customer.page.locator("input[name=account]:disabled");
  assert.ok((await disabled.count()) >= 1, "the credit card cannot be chosen");
  // a form that names the account nevertheless does not continue the journey
  const hidden = await customer.hidden();
  const card = await disabled.first().getAttribute("value");
  await customer.context.request.post(customer.page.url(), {
    form: { ...hidden, account: card ?? "", decision: "approve" },
  });
  await customer.page.reload();
  assert.equal(await customer.shown(), "accounts");
  await customer.press("cancel");
  await expectRejected(customer, lodged.consentId, "access_denied", "U033");
});
