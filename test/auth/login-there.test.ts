import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { decodeJwt } from "jose";
import type { Page } from "playwright-core";
import type { Bank } from "#src/bank/port.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { toNextPage } from "#test/browser.ts";
import { readAuthorisations } from "#test/consents/stored-rows.ts";
import { fragmentOf } from "./auth-bed.ts";
import { openBankProvider, type ProviderMood } from "./bank-provider.ts";
import { paperBank, paperCustomers, paperPayee } from "./paper-bank.ts";
import { decisions, openProviderBed, type ProviderBed } from "./provider-bed.ts";

// A bank whose OpenID provider knows no authorization details, takes no request objects and signs
// with RS256: customers log in there, and the core asks for the second factor on our pages. The
// provider is on another site, so that browsers treat the cookies so.

const code = paperCustomers[0]?.code ?? "";
const trusted: string[] = [];
const bank: Partial<Bank> = {
  listBeneficiaries: async () => [paperPayee],
  async trustBeneficiary(customerId, beneficiaryId) {
    trusted.push(`${customerId} ${beneficiaryId}`);
    return true;
  },
  // the provider's own id of a customer is not the core's
  loadCustomer: (id) => paperBank.loadCustomer(id.replace("00u-of-", "cust-")),
};

let opened: ProviderBed;
let bed: ProviderBed["bed"];
let provider: ProviderBed["provider"];
let tpp: TppClient;
before(async () => {
  opened = await openProviderBed({ host: "127.0.0.1", confirms: "login" }, bank);
  ({ bed, provider, tpp } = opened);
});
after(() => opened?.close());

const press = (page: Page, name: string) =>
  toNextPage(page, () => page.getByRole("button", { name }).click());
const textOf = async (page: Page) => (await page.textContent("main")) ?? "";
const go = (page: Page) => toNextPage(page, () => page.locator(decisions).first().click());

function openPage(mood: ProviderMood): Promise<Page> {
  opened.setMood(mood);
  return opened.newPage();
}

/** Opens the authorization URL of a payment, which leads to the bank's provider. */
async function visit(mood: ProviderMood = {}, data = {}) {
  const consentId = await bed.lodge(tpp, "domestic-payment", { data });
  const url = await tpp.authorizationUrl({ scope: "payments", consentId, state: "s" });
  const page = await openPage(mood);
  const returned = opened.site.returnOf(page);
  await page.goto(url);
  assert.equal(new URL(page.url()).origin, provider.issuer);
  return { consentId, page, returned };
}

async function enterCode(page: Page): Promise<void> {
  await page.locator('input[name="code"]').fill(code);
  await go(page);
}

test("a payment is confirmed here with the second factor, after a login at the bank's provider", async () => {
  const { consentId, page, returned } = await visit();
  assert.equal((await page.textContent("dl"))?.trim(), "", "the provider is shown no payment");
  await press(page, "Confirm");
  const asked = await textOf(page);
  assert.match(asked, /Pay\s*£10\.00\s*To\s*Acme Ltd/);
  assert.doesNotMatch(asked, /12345101|1,234\.56/, "no account before the second factor");
  await enterCode(page);
  assert.match(await textOf(page), /1,234\.56/);
  await page.getByRole("radio").first().check();
  await go(page);
  const { id_token: idToken = "" } = await tpp.exchangeCode(await returned);
  const { acr, amr } = decodeJwt<{ acr: string; amr: string[] }>(idToken);
  assert.equal(acr, "urn:openbanking:psd2:sca");
  assert.deepEqual(amr, ["pwd", "kba", "otp", "mfa"]);
  const [given] = await readAuthorisations(bed.database, consentId);
  assert.deepEqual([given?.method, given?.customerId], ["code", "cust-anna"]);
  assert.deepEqual(given?.amr, amr);
  assert.deepEqual(
    given?.showings.map(({ step, way }) => `${step} ${way}`),
    ["factor page", "accounts page"],
  );
  await page.context().close();
});

test("the request is plain, asks for the level and the time, and has no authorization details", async () => {
  const begun = await fetch(`${bed.publicUrl}/bank/login/start`, { redirect: "manual" });
  const { searchParams } = new URL(begun.headers.get("location") ?? "");
  const asked = Object.fromEntries(searchParams);
  assert.equal(asked.acr_values, "urn:openbanking:psd2:sca");
  assert.equal(asked.prompt, "login");
  assert.ok(asked.max_age && asked.nonce && asked.code_challenge, JSON.stringify(asked));
  for (const name of ["request", "claims", "authorization_details"]) {
    assert.equal(searchParams.has(name), false, name);
  }
});

test("the request is signed if the provider takes request objects", async () => {
  const other = await openBankProvider();
  try {
    await other.serve(bed.publicUrl);
    const login = other.loginFor("http://localhost:9/journey/returned", other.issuer, "login");
    const age = Temporal.Duration.from({ seconds: 1 });
    const subject = { act: "login" } as const;
    const url = new URL(await login.urlFor({ uid: "u", clientName: "A TPP", subject, age }));
    const request = decodeJwt(url.searchParams.get("request") ?? "");
    assert.equal(request.acr_values, "urn:openbanking:psd2:sca");
    assert.match(JSON.stringify(request.claims), /amr/);
    assert.equal(url.searchParams.has("acr_values"), false);
  } finally {
    other.close();
  }
});

for (const [why, amr, told] of [
  ["names no methods", [], ["otp", "mfa"]],
  ["names a passkey with a PIN", ["swk", "pin"], ["swk", "pin", "otp", "mfa"]],
] as const) {
  test(`the TPP is told no more methods of a login than the provider: one that ${why}`, async () => {
    const { consentId, page, returned } = await visit({ amr: [...amr] });
    await press(page, "Confirm");
    await enterCode(page);
    await page.getByRole("radio").first().check();
    await go(page);
    await returned;
    const [given] = await readAuthorisations(bed.database, consentId);
    assert.deepEqual(given?.amr, told);
    await page.context().close();
  });
}

for (const [amr, why] of [
  [["otp"], "of one kind"],
  [["mfa"], "that the provider does not name"],
  [["password"], "whose name is not in RFC 8176"],
] as const) {
  test(`a login and a code that are factors ${why} approve nothing, and all read why`, async () => {
    const { consentId, page, returned } = await visit({ amr: [...amr] });
    await press(page, "Confirm");
    await enterCode(page);
    await page.getByRole("heading", { name: "We could not be sure that it was you" }).waitFor();
    const said = await textOf(page);
    assert.match(said, /two different kinds of proof.*Nothing was paid\./s);
    assert.doesNotMatch(said, /changed/);
    const { status, reasons } = await bed.consent(consentId);
    assert.equal(status, "RJCT");
    assert.match(JSON.stringify(reasons), /U033.*The customer could not be authenticated\./);
    await page.getByRole("link", { name: "Continue to Test TPP" }).click();
    const { error, error_description: told } = fragmentOf(await returned);
    assert.deepEqual([error, told], ["access_denied", "the customer could not be authenticated"]);
    await page.context().close();
  });
}

test("a login at another level is not taken, and the customer can try again", async () => {
  const { consentId, page } = await visit({ acr: "loa0" });
  await press(page, "Confirm");
  await page.getByText("The login could not be completed").waitFor();
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  delete provider.mood.acr;
  await page.getByRole("link", { name: "Log in" }).click();
  await press(page, "Confirm");
  assert.equal(await page.locator('input[name="code"]').count(), 1);
  await page.context().close();
});

test("a customer whom the provider calls by another id is the one whom the core finds by it", async () => {
  const { consentId, page, returned } = await visit({ sub: "00u-of-ben" });
  await press(page, "Confirm");
  await enterCode(page);
  await page.getByRole("radio").first().check();
  await go(page);
  assert.ok(fragmentOf(await returned).code);
  assert.equal((await bed.consent(consentId)).customer, "cust-ben");
  await page.context().close();
});

test("an answer of the provider that comes twice changes nothing", async () => {
  const { consentId, page } = await visit();
  const [came] = await Promise.all([
    page.waitForRequest(/\/journey\/returned/),
    press(page, "Confirm"),
  ]);
  await page.goto(came.url());
  assert.equal(await page.locator('input[name="code"]').count(), 1);
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  await page.context().close();
});

/** Logs in to the bank's own pages, up to the second factor. */
async function toFactor(path: string, mood: ProviderMood = {}): Promise<Page> {
  const page = await openPage(mood);
  await page.goto(`${bed.publicUrl}${path}`);
  assert.equal(await page.locator("input[type=password]").count(), 0);
  await page.getByRole("link", { name: "Log in" }).click();
  await press(page, "Confirm");
  await page.locator('input[name="code"]').waitFor();
  return page;
}

test("the bank's own pages ask for the second factor after the login, and for one for each act", async () => {
  const page = await toFactor("/bank/payees/b-1");
  const other = await page.context().newPage();
  await other.goto(`${bed.publicUrl}/bank`);
  assert.match(other.url(), /\/bank\/login/, "the login alone shows nothing");
  await enterCode(page);
  await page.waitForURL("**/bank/payees/b-1");
  await page.locator('button[value="trust"]').click();
  await page.waitForURL("**/bank/confirm/*");
  assert.match((await page.textContent("dl")) ?? "", /Trust payee.*Acme Ltd/s);
  await enterCode(page);
  await page.waitForURL(/\/bank\/payees/);
  assert.deepEqual(trusted.splice(0), ["cust-anna b-1"]);
  assert.equal(bed.judged.passwords, 0);
  await page.context().close();
});

test("a login to the bank's own pages with two factors of one kind is not completed", async () => {
  const page = await toFactor("/bank", { amr: ["sms"] });
  await enterCode(page);
  await page.getByText("Your login could not be completed").waitFor();
  await page.goto(`${bed.publicUrl}/bank`);
  assert.match(page.url(), /\/bank\/login/);
  await page.context().close();
});

test("a password that is sent to the own pages is not checked", async () => {
  const page = await openPage({});
  const answer = await page.context().request.post(`${bed.publicUrl}/bank/login`, {
    form: { login: "anna", password: "anna-password", decision: "continue" },
    maxRedirects: 0,
  });
  assert.equal(answer.status(), 303);
  assert.equal(bed.judged.passwords, 0);
  await page.context().close();
});
