import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { decodeJwt, SignJWT } from "jose";
import type { Browser, Page } from "playwright-core";
import { type BankLogin, createBankLogin } from "#src/auth/login/bank-login.ts";
import type { ChallengeSubject } from "#src/bank/challenge.ts";
import type { WholeConsent } from "#src/channels/consent-channel.ts";
import { present } from "#src/lib/assert.ts";
import { systemClock } from "#src/lib/clock.ts";
import { stableId } from "#src/sandbox/stable-id.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openBrowser, toNextPage } from "#test/browser.ts";
import { freePort } from "#test/free-port.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, order, untilStatus } from "#test/journeys/payments.ts";
import {
  exampleFolder,
  type Keycloak,
  oneTimeCode,
  openKeycloak,
  whyNoKeycloak,
} from "./keycloak.ts";
import { decisions, openTppSite } from "./provider-bed.ts";
import { type Shown, Visitor } from "./visitor.ts";

// A real Keycloak as the bank's own login, with the realm and the extension in examples/keycloak/
// (CONTRIBUTING.md says how to run this).

const why = whyNoKeycloak();
const skip = why === null ? {} : { skip: why };

const acr = "urn:openbanking:psd2:sca";
const token = "a-token-of-the-banks-own-channels";
const folder = mkdtempSync(join(tmpdir(), "aldgate-keycloak-key-"));
let keycloak: Keycloak;
let bank: TestBank;
let browser: Browser;
let client: TppClient;
let site: Awaited<ReturnType<typeof openTppSite>>;
let login: BankLogin;
let key: KeyObject;
before(
  async () => {
    if (why !== null) return;
    key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const file = join(folder, "login.key.pem");
    writeFileSync(file, key.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    const { n: modulus } = createPublicKey(key).export({ format: "jwk" });
    const port = await freePort();
    const environment = {
      ALDGATE_URL: `http://localhost:${port}`,
      ALDGATE_MODULUS: present(modulus, "the modulus"),
    };
    keycloak = await openKeycloak(realm(), environment, { isExtended: true });
    const settings = { issuer: keycloak.issuer, clientId: "aldgate" };
    bank = await openBank({
      ...{ PUBLIC_PORT: port, CHANNELS_TOKEN: token, BANK_LOGIN_ISSUER: settings.issuer },
      ...{ BANK_LOGIN_CLIENT_ID: settings.clientId, BANK_LOGIN_KEY: file },
    });
    site = await openTppSite();
    client = await bank.createTpp({ redirectUris: [site.callback] });
    browser = await openBrowser();
    login = createBankLogin({
      ...{
        ...settings,
        acr,
        confirms: "approval",
        key,
        redirectUri: `${bank.publicUrl}/journey/returned`,
      },
      ...{ secret: "a secret of thirty-two characters", now: systemClock.now },
    });
  },
  { timeout: 900_000 },
);
after(async () => {
  await browser?.close();
  site?.close();
  await bank?.close();
  await keycloak?.close();
  rmSync(folder, { recursive: true });
});

type User = { username: string; credentials: object[]; attributes: object };
type Realm = { realm: string; users: User[] };

/** The example's realm, with more customers like the one there. Chloe has no second factor. */
function realm(): Realm {
  const given = JSON.parse(readFileSync(join(exampleFolder, "realm.json"), "utf8")) as Realm;
  const others = ["ben", "chloe", "finn", "grace"].map((name) => {
    const user = JSON.parse(
      JSON.stringify(given.users[0]).replaceAll("amara", name).replaceAll("Amara", name),
    ) as User;
    const credentials = user.credentials.slice(0, name === "chloe" ? 1 : 2);
    return { ...user, credentials, attributes: { core_id: [stableId("cus", name)] } };
  });
  return { ...given, users: [...given.users, ...others] };
}

const press = (page: Page, name: string) => page.getByRole("button", { name }).click();

/** Each page of a Keycloak that has just started may take seconds, on a busy machine more. */
const wholeJourneyMs = 180_000;

/** Opens the authorization URL of a consent, and enters the password on Keycloak's page. */
async function visit(scope: "accounts" | "payments", consentId: string, name: string) {
  const url = await client.authorizationUrl({ scope, consentId });
  const { context, page } = await openPage();
  const returned = site.returnOf(page, wholeJourneyMs);
  await page.goto(url);
  await enterPassword(page, name);
  return { context, page, returned };
}

async function openPage() {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  return { context, page };
}

async function enterPassword(page: Page, name: string): Promise<void> {
  assert.equal(new URL(page.url()).origin, keycloak.url);
  await page.locator("#username").fill(name);
  await page.locator("#password").fill(`${name}-sandbox`);
  await press(page, "Sign In");
}

async function enterCode(page: Page, name: string): Promise<void> {
  await page.locator("#otp").fill(oneTimeCode(`only-in-a-sandbox-${name}`));
  await press(page, "Sign In");
}

async function evidenceOf(consentId: string) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${bank.managementUrl}/channels/v1/consents/${consentId}`, {
    headers,
  });
  const { authorisations } = (await answer.json()) as WholeConsent;
  return present(authorisations.at(-1), "an authorisation");
}

test(
  "Keycloak shows a payment between the two factors, and the bank executes it",
  skip,
  async () => {
    const payee = {
      SchemeName: "UK.OBIE.SortCodeAccountNumber",
      Identification: "00990000000001",
      Name: "O'Brien & Sons",
    };
    const lodged = await lodge(client, { amount: "12.34", payee });
    const { context, page, returned } = await visit("payments", lodged.consentId, "amara");
    const shown = (await page.textContent("dl")) ?? "";
    assert.match(shown, /£12\.34/);
    assert.match(shown, /O'Brien & Sons/);
    await press(page, "Confirm");
    await enterCode(page, "amara");
    await page.getByRole("radio").first().check();
    await page.locator(decisions).first().click();
    const { access_token: once, id_token: idToken } = await client.exchangeCode(await returned);
    assert.equal(decodeJwt(present(idToken, "an id_token")).acr, acr);
    await untilStatus(client, "domestic-payment", await order(client, lodged, once), "ACCC");
    const given = await evidenceOf(lodged.consentId);
    assert.equal(given.customerId, stableId("cus", "amara"));
    assert.equal(given.method, "redirect");
    assert.deepEqual([...given.amr].sort(), ["otp", "pwd"]);
    await context.close();
  },
);

test("a customer who confirms access at Keycloak shares the chosen accounts", skip, async () => {
  const consentId = await lodgeAccess(client);
  const { context, page, returned } = await visit("accounts", consentId, "ben");
  await press(page, "Confirm");
  await enterCode(page, "ben");
  await page.getByRole("checkbox").first().check();
  await page.locator('button[name="decision"][value="approve"]').click();
  const { access_token: shared } = await client.exchangeCode(await returned);
  const path = "/v4.0/aisp/accounts";
  const answer = await client.call<{ Data: { Account: object[] } }>({ path, token: shared });
  assert.equal(answer.status, 200);
  assert.equal(answer.body.Data.Account.length, 1);
  await context.close();
});

test("a customer who declines at Keycloak cancels the request", skip, async () => {
  const { consentId } = await lodge(client);
  const { context, page, returned } = await visit("payments", consentId, "grace");
  await press(page, "Decline");
  assert.match(await returned, /error=access_denied/);
  await context.close();
});

test(
  "a customer without a second factor cannot approve, nor set one up on the way",
  skip,
  async () => {
    const { consentId } = await lodge(client);
    const { context, page } = await visit("payments", consentId, "chloe");
    await toNextPage(page, () => press(page, "Confirm"));
    assert.equal(await page.locator("#totp, #otp").count(), 0, await page.content());
    const { body } = await client.call<{ Data: { Status: string } }>({
      path: `/v4.0/pisp/domestic-payment-consents/${consentId}`,
      token: await client.clientToken("payments"),
    });
    assert.equal(body.Data.Status, "AWAU");
    await context.close();
  },
);

test(
  "Keycloak logs in a customer of the bank's own pages, with nothing to confirm",
  skip,
  async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${bank.publicUrl}/bank`);
    await page.getByRole("link", { name: "Log in" }).click();
    await enterPassword(page, "grace");
    await enterCode(page, "grace");
    await page.getByRole("heading", { name: "Your accounts" }).waitFor();
    await context.close();
  },
);

// What a request or an answer that differs comes to.

const begun = systemClock.now();
const payee = { name: "Acme Ltd", account: "20-00-03 19825731" };
const subject: ChallengeSubject = { act: "save payee", id: "b-1", payee };
const handOver = () => ({
  ...{ uid: "a-journey", clientName: "Test TPP", subject },
  age: systemClock.now().since(begun),
});

/** Opens the URL of a hand-over whose request has other details. */
async function askFor(details: object[] | null): Promise<Visitor> {
  const there = new Visitor({ publicUrl: keycloak.url });
  const url = new URL(await login.urlFor(handOver()));
  const request = present(url.searchParams.get("request"), "the request");
  const { authorization_details: _, ...others } = decodeJwt(request);
  const claims = details === null ? others : { ...others, authorization_details: details };
  const signed = await new SignJWT(claims).setProtectedHeader({ alg: "PS256" }).sign(key);
  url.searchParams.set("request", signed);
  await there.open(url.href);
  return there;
}

/** Sends the form on Keycloak's page. */
function send(there: Visitor, form: Record<string, string>): Promise<Shown> {
  const [, action = ""] = /<form[^>]* action="([^"]+)"/.exec(there.shown.body) ?? [];
  return there.open(action.replaceAll("&amp;", "&"), form);
}

const answerOf = ({ shown }: Visitor) => Object.fromEntries(new URL(shown.url).searchParams);
const ofFinn = { username: "finn", password: "finn-sandbox", credentialId: "" };
const type = "aldgate_approval";

test(
  "Keycloak refuses details of a type that it does not know, and nothing is approved",
  skip,
  async () => {
    const answer = answerOf(await askFor([{ type: "another" }]));
    assert.equal(answer.error, "invalid_request");
    assert.match(answer.error_description ?? "", /another/);
    const result = await login.judge(handOver(), answer);
    assert.deepEqual(result, { state: "failed", reason: "invalid_request" });
  },
);

test("Keycloak refuses details that show nothing", skip, async () => {
  const answer = answerOf(await askFor([{ type, subject_hash: "h", client_name: "A", shown: [] }]));
  assert.equal(answer.error, "invalid_request");
});

test("Keycloak shows details of more than 2,000 characters whole, and as text", skip, async () => {
  const shown = Array.from({ length: 30 }, (_, row) => ({
    label: `Row ${row}`,
    value: `<b>${"long ".repeat(12)}</b>`,
  }));
  const there = await askFor([{ type, subject_hash: "h", client_name: "<i>A TPP</i>", shown }]);
  const { body } = await send(there, ofFinn);
  assert.match(body, /Row 29/);
  assert.match(body, /&lt;i&gt;A TPP/);
  assert.doesNotMatch(body, /<b>long/);
});

test("a login at Keycloak that was not shown the details is no approval", skip, async () => {
  const there = await askFor(null);
  await send(there, ofFinn);
  await send(there, { otp: oneTimeCode("only-in-a-sandbox-finn") });
  const answer = answerOf(there);
  // signature, issuer, audience, acr, time and nonce are right: only the details are missing
  assert.equal(answer.iss, keycloak.issuer);
  assert.ok(answer.code, JSON.stringify(answer));
  assert.deepEqual(await login.judge(handOver(), answer), { state: "altered" });
});

test("a code that Keycloak has not given is refused there", skip, async () => {
  const { error: _, ...answer } = answerOf(await askFor([{ type: "another" }]));
  const result = await login.judge(handOver(), { ...answer, code: "not-a-code" });
  assert.equal(result.state, "failed");
  assert.match("reason" in result ? result.reason : "", /token endpoint answered/);
});
