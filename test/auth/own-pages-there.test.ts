import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { decodeJwt } from "jose";
import type { BrowserContext, Page } from "playwright-core";
import type { Bank } from "#src/bank/port.ts";
import { toNextPage } from "#test/browser.ts";
import type { ProviderMood } from "./bank-provider.ts";
import { paperCustomers, paperPayee, withOwnSubjects } from "./paper-bank.ts";
import { openProviderBed, type ProviderBed } from "./provider-bed.ts";
import { Visitor } from "./visitor.ts";

// The bank's own pages of a bank with its own OpenID provider: customers log in there, and confirm
// there what they do. The provider is on another site, so that browsers treat the cookies so.

const trusted: string[] = [];
const bank: Partial<Bank> = {
  ...withOwnSubjects,
  listBeneficiaries: async () => [paperPayee],
  async trustBeneficiary(customerId, beneficiaryId) {
    trusted.push(`${customerId} ${beneficiaryId}`);
    return true;
  },
};

let opened: ProviderBed;
let bed: ProviderBed["bed"];
let provider: ProviderBed["provider"];
before(async () => {
  opened = await openProviderBed({ host: "127.0.0.1" }, bank);
  ({ bed, provider } = opened);
});
after(() => opened?.close());

const press = (page: Page, name: string) =>
  toNextPage(page, () => page.getByRole("button", { name }).click());
const textOf = async (page: Page) => (await page.textContent("main")) ?? "";

async function openAt(path: string, mood: ProviderMood = {}) {
  opened.setMood(mood);
  const page = await opened.newPage();
  await page.goto(`${bed.publicUrl}${path}`);
  return { context: page.context(), page };
}

/** Logs in at the provider, and comes back to the page that was wanted. */
async function logIn(path = "/bank", mood: ProviderMood = {}) {
  const shown = await openAt(path, mood);
  await shown.page.getByRole("link", { name: "Log in" }).click();
  await press(shown.page, "Confirm");
  return shown;
}

/** Asks to trust the payee, up to the provider's page. */
async function toTrust(mood: ProviderMood = {}): Promise<{ context: BrowserContext; page: Page }> {
  const shown = await logIn("/bank/payees/b-1");
  const { page } = shown;
  await page.waitForURL("**/bank/payees/b-1");
  await page.locator('button[value="trust"]').click();
  await page.waitForURL("**/bank/confirm/*");
  assert.match((await page.textContent("dl")) ?? "", /Trust payee.*Acme Ltd/s);
  assert.equal(await page.locator('input[name="code"]').count(), 0);
  opened.setMood(mood);
  await toNextPage(page, () => page.locator("a.button").click());
  assert.equal(new URL(page.url()).origin, provider.issuer);
  return shown;
}

test("a customer logs in at the bank's provider, and comes back to the page that was wanted", async () => {
  const { context, page } = await openAt("/bank/payees/b-1");
  assert.equal(await page.locator("input[type=password]").count(), 0);
  await toNextPage(page, () => page.getByRole("link", { name: "Log in" }).click());
  assert.equal(new URL(page.url()).origin, provider.issuer);
  await press(page, "Confirm");
  await page.waitForURL("**/bank/payees/b-1");
  assert.match(await textOf(page), /Acme Ltd/);
  await context.close();
});

test("a password that is sent to the own pages logs nobody in", async () => {
  const { context } = await openAt("/bank/login");
  const answer = await context.request.post(`${bed.publicUrl}/bank/login`, {
    form: { login: "anna", password: "anna-password", decision: "continue" },
    maxRedirects: 0,
  });
  assert.equal(answer.status(), 303);
  assert.equal(bed.judged.passwords, 0);
  await context.close();
});

for (const [why, mood, says] of [
  ["a weaker login", { acr: "loa1" }, /could not be completed/],
  ["a customer whom the core does not know", { sub: "cust-nobody" }, /do not know the customer/],
  ["an id_token for another party", { azp: "somebody" }, /could not be completed/],
] as const) {
  test(`${why} is not logged in`, async () => {
    const { context, page } = await logIn("/bank", mood);
    await page.getByText(says).waitFor();
    await page.goto(`${bed.publicUrl}/bank`);
    assert.match(page.url(), /\/bank\/login/);
    await context.close();
  });
}

test("a customer who declines the login is not logged in, and can begin again", async () => {
  const { context, page } = await openAt("/bank");
  await page.getByRole("link", { name: "Log in" }).click();
  await press(page, "Decline");
  await page.getByRole("link", { name: "Log in" }).waitFor();
  await context.close();
});

test("an answer that another browser brings logs nobody in there", async () => {
  opened.setMood({});
  const begun = await fetch(`${bed.publicUrl}/bank/login/start`, { redirect: "manual" });
  const there = new Visitor({ publicUrl: provider.issuer });
  await there.open(begun.headers.get("location") ?? "");
  await there.open(there.shown.url, { answer: "confirm" });
  assert.match(there.shown.url, /\/journey\/returned\?code=/);
  const { context, page } = await openAt("/bank/login");
  await page.goto(there.shown.url);
  await page.getByText("The login could not be completed").waitFor();
  await page.goto(`${bed.publicUrl}/bank`);
  assert.match(page.url(), /\/bank\/login/);
  await context.close();
});

test("an act is confirmed at the bank's provider, which shows it, and is done once", async () => {
  const { context, page } = await toTrust();
  assert.match((await page.textContent("dl")) ?? "", /Trust payee.*Acme Ltd/s);
  const [came] = await Promise.all([
    page.waitForRequest(/\/bank\/confirm\/.*state=/),
    press(page, "Confirm"),
  ]);
  await page.waitForURL(/\/bank\/payees/);
  assert.deepEqual(trusted.splice(0), ["cust-anna b-1"]);
  await page.goto(came.url());
  assert.deepEqual(trusted, []);
  await context.close();
});

test("the provider's own id of a customer confirms what the customer does", async () => {
  const { context, page } = await toTrust({ sub: "cust-poor" });
  await press(page, "Confirm");
  await page.waitForURL(/\/bank\/payees/);
  assert.deepEqual(trusted.splice(0), ["cust-anna b-1"]);
  await context.close();
});

for (const [why, mood, button, says] of [
  ["a confirmation of another customer", { sub: "cust-ben" }, "Confirm", /Another customer/],
  ["a weaker confirmation", { acr: "loa1" }, "Confirm", /could not be confirmed/],
  ["a confirmation of something else", { details: () => [] }, "Confirm", /was not the same/],
  ["a customer who declines", {}, "Decline", /Acme Ltd/],
] as const) {
  test(`${why} does nothing`, async () => {
    const { context, page } = await toTrust(mood);
    await press(page, button);
    await page.getByText(says).first().waitFor();
    assert.equal(new URL(page.url()).origin, bed.publicUrl);
    assert.deepEqual(trusted, []);
    await context.close();
  });
}

for (const [name, outage] of [
  ["is out of service", "/token"],
  ["says that it is out of service", "says so"],
] as const) {
  test(`while the bank's provider ${name}, no confirmation counts as failed`, async () => {
    const { context, page } = await toTrust({ outage });
    for (let turn = 0; turn < 6; turn += 1) {
      await press(page, "Confirm");
      await page.waitForURL("**/bank/confirm/**");
      await page.goto(page.url().replace(/\?.*/, ""));
      await page.locator("a.button").click();
    }
    opened.setMood({});
    await press(page, "Confirm");
    await page.waitForURL(/\/bank\/payees/);
    assert.deepEqual(trusted.splice(0), ["cust-anna b-1"]);
    await context.close();
  });
}

test("a login asks for no authorization details, and a provider that knows none logs in", async () => {
  const begun = await fetch(`${bed.publicUrl}/bank/login/start`, { redirect: "manual" });
  const request = new URL(begun.headers.get("location") ?? "").searchParams.get("request");
  assert.equal("authorization_details" in decodeJwt(request ?? ""), false);
  provider.seen.length = 0;
  const { context, page } = await logIn();
  await page.waitForURL(/\/bank$/);
  assert.deepEqual(provider.seen, []);
  await context.close();
});

for (const [amr, done] of [
  [["pwd", "hwk"], ["cust-anna b-1"]],
  [["otp"], []],
] as const) {
  test(`after the setting is switched to login, a session that began by ${amr} counts as that`, async () => {
    const { context, page } = await logIn("/bank/payees/b-1", { amr: [...amr] });
    await page.waitForURL("**/bank/payees/b-1");
    opened.bankLogin().confirms = "login";
    try {
      await page.locator('button[value="trust"]').click();
      await page.waitForURL("**/bank/confirm/*");
      await page.locator('input[name="code"]').fill(paperCustomers[0]?.code ?? "");
      await page.locator('button[name="decision"]').first().click();
      await page.waitForURL(/\/bank\/payees/);
      assert.deepEqual(trusted.splice(0), done);
      const isRefused = /could not be confirmed. Nothing has been done. Log in again/.test(
        await textOf(page),
      );
      assert.equal(isRefused, done.length === 0);
    } finally {
      opened.bankLogin().confirms = "approval";
    }
    await context.close();
  });
}

// last, because the lock stays
test("failed confirmations in a row lock the factor", async () => {
  const { context, page } = await toTrust({ acr: "loa1" });
  for (let turn = 0; turn < 5; turn += 1) {
    await press(page, "Confirm");
    await page.getByText(/could not be confirmed|too many attempts/).waitFor();
    if (/too many attempts/.test(await textOf(page))) break;
    await page.locator("a.button").click();
  }
  const locked = await textOf(page);
  assert.match(locked, /Approving is locked until \d\d:\d\d/);
  const again =
    /too many attempts\. Try again after \d\d:\d\d( on \d+ \w+ \d{4})?\. Nothing has been/;
  assert.match(locked, again);
  assert.doesNotMatch(locked, /could not be confirmed|Check what is below/);
  assert.equal(await page.locator("a.button").count(), 0);
  assert.deepEqual(trusted, []);
  await context.close();
});
