import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { decodeJwt } from "jose";
import type { Page } from "playwright-core";
import { endings } from "#src/auth/journey/outcomes.ts";
import { type ChallengeSubject, subjectHash } from "#src/bank/challenge.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { readAuthorisations } from "#test/consents/stored-rows.ts";
import { freePort } from "#test/free-port.ts";
import { fragmentOf } from "./auth-bed.ts";
import type { ProviderMood } from "./bank-provider.ts";
import type { Kind } from "./journeys.ts";
import { withOwnSubjects } from "./paper-bank.ts";
import { decisions, openProviderBed, type ProviderBed } from "./provider-bed.ts";
import { Visitor } from "./visitor.ts";

// The hand-over to the bank's own OpenID provider, in a browser.

let opened: ProviderBed;
let bed: ProviderBed["bed"];
let provider: ProviderBed["provider"];
let tpp: TppClient;
before(async () => {
  opened = await openProviderBed({}, withOwnSubjects);
  ({ bed, provider, tpp } = opened);
});
after(() => opened?.close());

/** Opens the authorization URL of a new consent, which leads to the bank's provider. */
async function visit(kind: Kind = "domestic-payment", data = {}, mood: ProviderMood = {}) {
  opened.setMood(mood);
  const consentId = await bed.lodge(tpp, kind, { data });
  const scope = kind === "account-access" ? "accounts" : "payments";
  const url = await tpp.authorizationUrl({ scope, consentId, state: "s" });
  const page = await opened.newPage();
  const returned = opened.site.returnOf(page);
  await page.goto(url);
  return { consentId, page, returned };
}

const press = (page: Page, name: string) => page.getByRole("button", { name }).click();

test("a payment is confirmed at the bank's provider, which is shown amount and payee", async () => {
  const { consentId, page, returned } = await visit();
  assert.equal(new URL(page.url()).origin, provider.issuer);
  assert.match((await page.textContent("dl")) ?? "", /£10\.00.*Acme Ltd/s);
  await press(page, "Confirm");
  await page.getByRole("radio").first().check();
  await page.locator(decisions).first().click();
  const answer = fragmentOf(await returned);
  assert.ok(answer.code, JSON.stringify(answer));
  const [given] = await readAuthorisations(bed.database, consentId);
  assert.equal(given?.method, "redirect");
  assert.equal(given?.customerId, "cust-anna");
  assert.deepEqual(given?.amr, ["pwd", "hwk", "mfa"]);
  const [there] = given?.showings ?? [];
  assert.equal(there?.way, "provider");
  assert.equal(subjectHash(there?.shown as ChallengeSubject), there?.shownHash);
  assert.equal(provider.seen.at(-1)?.subject_hash, there?.shownHash);
  assert.equal(provider.seen.at(-1)?.client_name, "Test TPP");
  await page.close();
});

test("a payment from an account that the TPP named needs no page of ours", async () => {
  const { page, returned, consentId } = await visit("domestic-payment", {
    debtor: "20201012345101",
  });
  await press(page, "Confirm");
  assert.ok(fragmentOf(await returned).code);
  assert.equal((await bed.consent(consentId)).status, "AUTH");
  await page.close();
});

test("the provider's id of a customer may be another one than the core's, and that of somebody else", async () => {
  const { consentId, page, returned } = await visit("domestic-payment", {}, { sub: "cust-poor" });
  await press(page, "Confirm");
  await page.getByRole("radio").first().check();
  await page.locator(decisions).first().click();
  assert.ok(fragmentOf(await returned).code);
  const [given] = await readAuthorisations(bed.database, consentId);
  assert.deepEqual([given?.method, given?.customerId], ["redirect", "cust-anna"]);
  await page.close();
});

test("a customer who declines at the provider cancels the request", async () => {
  const { page, returned, consentId } = await visit();
  await press(page, "Decline");
  const answer = fragmentOf(await returned);
  assert.equal(answer.error, endings.cancelled.error.error);
  assert.equal(answer.error_description, endings.cancelled.error.error_description);
  assert.equal((await bed.consent(consentId)).status, "RJCT");
  await page.close();
});

test("CB-04: a confirmation of another subject is worthless", async () => {
  const changed: ProviderMood = {
    details: (details) => details.map((one) => ({ ...one, subject_hash: "another" })),
  };
  const { page, consentId } = await visit("domestic-payment", {}, changed);
  await press(page, "Confirm");
  await page.getByText("This request has changed").waitFor();
  assert.equal((await bed.consent(consentId)).status, "RJCT");
  await page.close();
});

test("a login without a confirmation is worthless", async () => {
  const { page, consentId } = await visit("domestic-payment", {}, { details: () => [] });
  await press(page, "Confirm");
  await page.getByText("This request has changed").waitFor();
  assert.equal((await bed.consent(consentId)).status, "RJCT");
  await page.close();
});

test("a weaker authentication is not taken, and the customer can try again", async () => {
  const { page, returned, consentId } = await visit("account-access", {}, { acr: "loa1" });
  await press(page, "Confirm");
  await page.getByText("The login could not be completed").waitFor();
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  const [warning] = bed.warnings.slice(-1) as { reason: string }[];
  assert.match(warning?.reason ?? "", /loa1/);
  delete provider.mood.acr;
  await page.getByRole("link", { name: "Log in" }).click();
  await press(page, "Confirm");
  await page.getByRole("checkbox").first().check();
  await page.locator('button[name="decision"][value="approve"]').click();
  assert.ok(fragmentOf(await returned).code);
  await page.close();
});

test("a login before the journey, in the future or at no whole second is not taken", async () => {
  const { page, returned, consentId } = await visit("account-access");
  const now = Math.floor(Date.now() / 1000);
  for (const authTime of [now - 3600, now + 3600, now + 0.5]) {
    provider.mood.authTime = authTime;
    await press(page, "Confirm");
    await page.getByText("The login could not be completed").waitFor();
    const [warning] = bed.warnings.slice(-1) as { reason: string }[];
    assert.ok(warning?.reason.includes(String(authTime)), `${authTime}: ${warning?.reason}`);
    assert.equal((await bed.consent(consentId)).status, "AWAU");
    delete provider.mood.authTime;
    await page.getByRole("link", { name: "Log in" }).click();
  }
  await press(page, "Confirm");
  await page.getByRole("checkbox").first().check();
  await page.locator('button[name="decision"][value="approve"]').click();
  assert.ok(fragmentOf(await returned).code);
  await page.close();
});

test("an id_token for another party is not taken, and five failures end the request", async () => {
  const { page, consentId } = await visit("account-access", {}, { azp: "somebody" });
  for (let turn = 0; turn < 4; turn += 1) {
    await press(page, "Confirm");
    await page.getByText("The login could not be completed").waitFor();
    const [warning] = bed.warnings.slice(-1) as { reason: string }[];
    assert.match(warning?.reason ?? "", /the azp is somebody/);
    assert.equal((await bed.consent(consentId)).status, "AWAU");
    await page.getByRole("link", { name: "Log in" }).click();
  }
  await press(page, "Confirm");
  await page.getByRole("heading", { name: "Too many tries" }).waitFor();
  assert.equal((await bed.consent(consentId)).status, "RJCT");
  await page.close();
});

test("while the provider says that it is out of service, no try counts", async () => {
  const mood = { outage: "says so" } as const;
  const { page, consentId } = await visit("account-access", {}, mood);
  for (let turn = 0; turn < 6; turn += 1) {
    await press(page, "Confirm");
    await page.getByText("The login could not be completed").waitFor();
    await page.getByRole("link", { name: "Log in" }).click();
  }
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  delete provider.mood.outage;
  await press(page, "Confirm");
  await page.getByRole("checkbox").first().check();
  await page.locator('button[name="decision"][value="approve"]').click();
  await page.waitForURL(`${opened.site.callback}*`);
  assert.ok(fragmentOf(page.url()).code);
  await page.close();
});

test("while the provider's keys cannot be had, a code is not used up, and is taken afterwards", async () => {
  await bed.lodge(tpp, "account-access"); // the provider runs
  opened.setMood({});
  const login = provider.loginFor(`${bed.publicUrl}/journey/returned`);
  const subject = { act: "save payee", id: "b-1", payee: { name: "Acme", account: "1" } } as const;
  const age = Temporal.Duration.from({ seconds: 1 });
  const handOver = { uid: "u", clientName: "A TPP", subject, age };
  const customer = new Visitor({ publicUrl: provider.issuer });
  await customer.open(await login.urlFor(handOver));
  await customer.open(customer.shown.url, { answer: "confirm" });
  const answer = Object.fromEntries(new URL(customer.shown.url).searchParams);
  assert.ok(answer.code, customer.shown.url);
  provider.mood.outage = "/jwks";
  for (let turn = 0; turn < 2; turn += 1) {
    await assert.rejects(login.judge(handOver, answer), Unavailable);
  }
  delete provider.mood.outage;
  const { state } = await login.judge(handOver, answer);
  assert.equal(state, "approved");
});

test("an answer must name this provider as its issuer", async () => {
  await bed.lodge(tpp, "account-access"); // the provider runs
  const login = provider.loginFor(`${bed.publicUrl}/journey/returned`);
  const handOver = {
    ...{ uid: "u", clientName: "A TPP", subject: { act: "login" } as const },
    age: Temporal.Duration.from({ seconds: 1 }),
  };
  const url = new URL(await login.urlFor(handOver));
  const { state } = decodeJwt<{ state: string }>(url.searchParams.get("request") ?? "");
  for (const [iss, reason] of [
    [{}, /does not name its issuer/],
    [{ iss: "" }, /does not name its issuer/],
    [{ iss: "https://x.example" }, /comes from https:\/\/x\.example/],
  ] as const) {
    const result = await login.judge(handOver, { state, code: "c", ...iss });
    assert.equal(result.state, "failed");
    assert.match("reason" in result ? result.reason : "", reason);
  }
  const declined = { state, iss: provider.issuer, error: "access_denied" };
  assert.deepEqual(await login.judge(handOver, declined), { state: "cancelled" });
});

test("a customer whom the core does not know can try again", async () => {
  const { page, consentId } = await visit("domestic-payment", {}, { sub: "cust-nobody" });
  await press(page, "Confirm");
  await page.getByText("We do not know the customer").waitFor();
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  await page.close();
});

test("another customer than the one of the consent cannot continue it", async () => {
  const first = await visit("account-access");
  await press(first.page, "Confirm");
  await first.page.getByRole("checkbox").first().check();
  await first.page.locator('button[name="decision"][value="approve"]').click();
  await first.returned;
  const { consentId } = first;
  provider.mood.sub = "cust-ben";
  const url = await tpp.authorizationUrl({ scope: "accounts", consentId });
  await first.page.goto(url);
  await press(first.page, "Confirm");
  await first.page.getByText("This request belongs to another customer").waitFor();
  await first.page.close();
});

test("an answer that another browser brings is not taken", async () => {
  const { page, consentId } = await visit();
  await page.route("**/journey/returned*", (route) => route.abort());
  const [request] = await Promise.all([
    page.waitForRequest(/\/journey\/returned/),
    press(page, "Confirm"),
  ]);
  const other = await opened.browser.newContext();
  const stranger = await other.newPage();
  const shown = await stranger.goto(request.url());
  assert.equal(shown?.status(), 400);
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  await other.close();
  await page.close();
});

test("a provider whose answer is larger than 64 kB is an outage", async () => {
  const large = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ issuer, padding: "x".repeat(70_000) }));
  });
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  await new Promise<void>((resolve) => large.listen(port, "127.0.0.1", resolve));
  try {
    const login = provider.loginFor("http://localhost:9/journey/returned", issuer);
    const subject = { act: "login" } as const;
    const age = Temporal.Duration.from({ seconds: 1 });
    await assert.rejects(
      login.urlFor({ uid: "u", clientName: "A TPP", subject, age }),
      (error: Error) => /larger than 64 kB/.test(String((error.cause as Error).message)),
    );
  } finally {
    large.closeAllConnections();
    large.close();
  }
});

test("a state that names no journey gets the page of a lost request", async () => {
  for (const state of ["", "x", `${"a".repeat(21)}.${"b".repeat(43)}`, "../../x"]) {
    const query = new URLSearchParams({ state, code: "c" });
    const answer = await fetch(`${bed.publicUrl}/journey/returned?${query}`);
    assert.equal(answer.status, 400, state);
  }
});
