import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { decodeJwt } from "jose";
import type { Browser, Page } from "playwright-core";
import { present } from "#src/lib/assert.ts";
import { stableId } from "#src/sandbox/stable-id.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openBrowser } from "#test/browser.ts";
import { freePort } from "#test/free-port.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, order, untilStatus } from "#test/journeys/payments.ts";
import { rsaKey } from "#test/server/production-folder.ts";
import { exampleFolder, type Keycloak, openKeycloak, whyNoKeycloak } from "./keycloak.ts";
import { decisions, openTppSite } from "./provider-bed.ts";

// A real Keycloak as it is distributed, with its own login of one factor: it has no extension and
// no flow of ours (CONTRIBUTING.md says how to run this). The second factor follows here.

const why = whyNoKeycloak();
const skip = why === null ? {} : { skip: why };

const folder = mkdtempSync(join(tmpdir(), "aldgate-keycloak-login-"));
let keycloak: Keycloak;
let bank: TestBank;
let browser: Browser;
let client: TppClient;
let site: Awaited<ReturnType<typeof openTppSite>>;
before(
  async () => {
    if (why !== null) return;
    const key = rsaKey();
    const file = join(folder, "login.key.pem");
    writeFileSync(file, key, { mode: 0o600 });
    const { n: modulus } = createPublicKey(key).export({ format: "jwk" });
    const port = await freePort();
    const environment = {
      ALDGATE_URL: `http://localhost:${port}`,
      ALDGATE_MODULUS: present(modulus, "the modulus"),
    };
    keycloak = await openKeycloak(realm(), environment, { isExtended: false });
    bank = await openBank({
      ...{ PUBLIC_PORT: port, BANK_LOGIN_ISSUER: keycloak.issuer, BANK_LOGIN_KEY: file },
      ...{ BANK_LOGIN_CLIENT_ID: "aldgate", BANK_LOGIN_CONFIRMS: "login", BANK_LOGIN_ACR: "1" },
    });
    site = await openTppSite();
    client = await bank.createTpp({ redirectUris: [site.callback] });
    browser = await openBrowser();
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

type Client = { attributes: object; protocolMappers: object[] };
type Realm = { realm: string; clients: Client[]; users: { credentials: object[] }[] };

/** The example's realm without flows and levels of its own; its customer has only a password. */
function realm(): Realm {
  const text = readFileSync(join(exampleFolder, "realm.json"), "utf8");
  const { realm: name, clients, users, ...rest } = JSON.parse(text) as Realm;
  const usual = Object.entries(rest).filter(([member]) => !/^(auth|requiredActions)/.test(member));
  return {
    ...Object.fromEntries(usual),
    realm: name,
    clients: clients.map(({ attributes, ...one }) => ({
      ...one,
      authenticationFlowBindingOverrides: {},
      attributes: { ...attributes, "acr.loa.map": "{}", "id.token.signed.response.alg": "RS256" },
    })),
    users: users.map((one) => ({ ...one, credentials: one.credentials.slice(0, 1) })),
  };
}

async function enterPassword(page: Page): Promise<void> {
  assert.equal(new URL(page.url()).origin, keycloak.url);
  await page.locator("#username").fill("amara");
  await page.locator("#password").fill("amara-sandbox");
  await page.getByRole("button", { name: "Sign In" }).click();
}

/** Enters the code that the sandbox shows. */
async function enterCode(page: Page): Promise<void> {
  const code = (await page.locator("code.big").textContent()) ?? "";
  await page.locator('input[name="code"]').fill(code);
  await page.locator(decisions).first().click();
}

async function openPage(): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(20_000);
  return page;
}

test("Keycloak as it is logs a customer in, whose payment the core confirms", skip, async () => {
  const payee = {
    SchemeName: "UK.OBIE.SortCodeAccountNumber",
    Identification: "00990000000001",
    Name: "Acme Ltd",
  };
  const lodged = await lodge(client, { amount: "12.34", payee });
  const page = await openPage();
  const returned = site.returnOf(page, 120_000);
  await page.goto(
    await client.authorizationUrl({ scope: "payments", consentId: lodged.consentId }),
  );
  await enterPassword(page);
  assert.match((await page.textContent("main")) ?? "", /£12\.34/);
  await enterCode(page);
  await page.getByRole("radio").first().check();
  await page.locator(decisions).first().click();
  // the page after the choice, if the account adds something
  if (page.url().startsWith(bank.publicUrl) && (await page.locator("form").count()) > 0) {
    await page.locator(decisions).first().click();
  }
  const { access_token: once, id_token: idToken = "" } = await client.exchangeCode(await returned);
  const { acr, amr, sub } = decodeJwt<{ acr: string; amr: string[] }>(idToken);
  assert.equal(acr, "urn:openbanking:psd2:sca");
  assert.equal(sub, stableId("cus", "amara"));
  // it has named no methods
  assert.deepEqual(amr, ["otp", "mfa"]);
  await untilStatus(client, "domestic-payment", await order(client, lodged, once), "ACCC");
  await page.context().close();
});

test(
  "Keycloak as it is logs a customer in to the bank's own pages, and a code follows",
  skip,
  async () => {
    const page = await openPage();
    await page.goto(`${bank.publicUrl}/bank`);
    await page.getByRole("link", { name: "Log in" }).click();
    await enterPassword(page);
    await enterCode(page);
    await page.getByRole("heading", { name: "Your accounts" }).waitFor();
    await page.context().close();
  },
);
