import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { present } from "#src/lib/assert.ts";
import { axeFaults } from "#test/axe.ts";
import { openBrowser } from "#test/browser.ts";
import { consentStatus, readAuthorisations } from "#test/consents/stored-rows.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge } from "#test/journeys/payments.ts";

// Passkeys in a browser, with the device that Chromium plays.

let bank: TestBank;
let browser: Browser;
before(async () => {
  bank = await openBank();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await bank?.close();
});

const complaints: string[] = [];

/** Opens a window with a device that checks its user. `verify` makes it accept the user or not. */
async function openWindow(given: BrowserContextOptions = {}) {
  const context = await browser.newContext(given);
  const page = await context.newPage();
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  const device = await context.newCDPSession(page);
  await device.send("WebAuthn.enable");
  const { authenticatorId } = await device.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const verify = (isUserVerified: boolean) =>
    device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
  const countPasskeys = async () =>
    (await device.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length;
  return { context, page, verify, countPasskeys };
}

async function enter(page: Page, login: string): Promise<void> {
  const persona = present(bank.sandbox, "the sandbox").personas.find((one) => one.login === login);
  await page.getByLabel("User ID").fill(login);
  await page.getByLabel("Password").fill(present(persona, login).password);
  await page.getByRole("button", { name: "Log in" }).click();
}

async function enterCode(page: Page, button = "Continue"): Promise<void> {
  const code = (await page.locator("code.big").textContent()) ?? "";
  await page.getByLabel("Security code").fill(code);
  await page.getByRole("button", { name: button }).click();
}

async function namePasskey(page: Page, name: string, see = async (_: string) => undefined) {
  await page.getByRole("link", { name: "Add a passkey" }).click();
  await page.getByLabel("A name for it").fill(name);
  await see("name");
  await page.getByRole("button", { name: "Continue" }).click();
}

/** Logs in by a code, and adds a passkey. `see` looks at each page. */
async function addPasskey(page: Page, login: string, see = async (_: string) => undefined) {
  await page.goto(`${bank.publicUrl}/bank/passkeys`);
  await enter(page, login);
  await enterCode(page);
  await page.goto(`${bank.publicUrl}/bank/passkeys`);
  await see("none");
  await namePasskey(page, "My laptop", see);
  await page.getByRole("heading", { name: "Add this passkey?" }).waitFor();
  await see("confirm by code");
  await enterCode(page);
  await page.getByRole("heading", { name: "Make your passkey" }).waitFor();
  await see("make");
  await page.getByRole("button", { name: "Make the passkey" }).click();
  await page.getByText("You can now confirm with the passkey My laptop.").waitFor();
  await see("list");
}

/** Sends a customer to the bank with a payment. */
async function toPayment(page: Page, login: string) {
  const client = await bank.createTpp();
  const { consentId } = await lodge(client);
  await page.goto(await client.authorizationUrl({ scope: "payments", consentId }));
  await enter(page, login);
  await page.getByRole("heading", { name: "Confirm it’s you" }).waitFor();
  return { client, consentId };
}

test("a customer adds a passkey, approves a payment with it, and removes it", async () => {
  const { context, page, verify, countPasskeys } = await openWindow();
  await addPasskey(page, "ben");
  assert.equal(await countPasskeys(), 1);

  const { consentId } = await toPayment(page, "ben");
  assert.doesNotMatch(await page.locator("main").innerHTML(), /enter the code|security code/i);
  // the device does not know the finger
  await verify(false);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("We did not get your passkey. Try again.").waitFor();
  assert.equal(await consentStatus(bank.database, consentId), "AWAU");
  await verify(true);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.locator('input[name="account"]').first().waitFor();
  await page.locator('input[name="account"]:enabled').first().check();
  const leaves = page.waitForRequest((request) => !request.url().startsWith(bank.publicUrl));
  await page.getByRole("button", { name: "Approve payment of £12.34" }).click();
  await leaves;
  assert.equal(await consentStatus(bank.database, consentId), "AUTH");
  const [given] = await readAuthorisations(bank.database, consentId);
  assert.equal(given?.method, "passkey");
  assert.deepEqual(given?.amr, ["pwd", "hwk", "user", "mfa"]);

  // the first window still waits for the TPP
  const own = await context.newPage();
  await own.goto(`${bank.publicUrl}/bank/passkeys`);
  await own.getByRole("link", { name: "Remove" }).click();
  await own.getByRole("button", { name: "Continue" }).click();
  // this window has no device with the passkey, as after its loss
  await own.getByRole("button", { name: "Use a code instead" }).click();
  await enterCode(own, "Remove passkey");
  await own.getByText("We have removed the passkey My laptop.").waitFor();
  await context.close();
  assert.deepEqual(
    complaints.filter((text) => !text.includes("net::ERR")),
    [],
  );
});

test("a passkey confirms an act on the bank's own pages, and makes no second one on its device", async () => {
  const { context, page, countPasskeys } = await openWindow();
  await addPasskey(page, "chloe");
  await namePasskey(page, "Again");
  await page.getByText("then use your passkey").waitFor();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Make your passkey" }).waitFor();
  await page.getByRole("button", { name: "Make the passkey" }).click();
  await page.getByText("We did not get your passkey. Try again.").waitFor();
  assert.equal(await countPasskeys(), 1);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("heading", { name: "Your passkeys" }).waitFor();
  await context.close();
});

test("a browser without scripts says so, and the customer uses a code instead", async () => {
  const window = await openWindow();
  await addPasskey(window.page, "dev");
  await window.context.close();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const { consentId } = await toPayment(page, "dev");
  const said = page.locator("noscript p");
  await said.waitFor();
  assert.match((await said.textContent()) ?? "", /^Your browser runs no scripts/);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").getByText("We did not get your passkey").waitFor();
  await page.getByRole("button", { name: "Use a code instead" }).click();
  await enterCode(page);
  await page.locator('input[name="account"]').first().waitFor();
  assert.equal(await consentStatus(bank.database, consentId), "AWAU");
  await context.close();
});

/** Looks at each page: its width, and what axe finds. Keeps pictures if a folder is set. */
function observer(page: Page, context: BrowserContext, name: string, width: number) {
  return async (what: string): Promise<undefined> => {
    assert.deepEqual(await axeFaults(page), [], `${what}, ${name}`);
    const wide = await page.evaluate("document.documentElement.scrollWidth");
    assert.ok(Number(wide) <= width, `${what} is ${wide} wide`);
    const folder = process.env.ALDGATE_TEST_PICTURES;
    const path = `${folder}/${what}-${name}.png`;
    if (folder) await context.pages()[0]?.screenshot({ path, fullPage: true });
    return undefined;
  };
}

const looks = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  forced: { forcedColors: "active" },
} as const;

for (const [look, given] of Object.entries(looks)) {
  for (const width of [390, 1280]) {
    test(`the pages of passkeys have no violations at ${width} px, ${look}`, async () => {
      const login = `${width === 390 ? "elin finn grace" : "amara harriet iris"}`.split(" ")[
        Object.keys(looks).indexOf(look)
      ];
      const { context, page, verify } = await openWindow({
        viewport: { width, height: 844 },
        ...given,
      });
      const see = observer(page, context, `${look}-${width}`, width);
      await addPasskey(page, present(login, "a customer"), see);
      await toPayment(page, present(login, "a customer"));
      await see("factor");
      await verify(false);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("We did not get your passkey").waitFor();
      await see("factor again");
      await page.goto(`${bank.publicUrl}/bank/passkeys`);
      await page.getByRole("link", { name: "Remove" }).click();
      await page.getByRole("heading", { name: "Remove a passkey" }).waitFor();
      await see("remove");
      await context.close();
    });
  }
}
