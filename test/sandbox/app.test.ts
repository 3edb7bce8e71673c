import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { present } from "#src/lib/assert.ts";
import { pathOf } from "#src/sandbox/test-tpp/tpp-client.ts";
import { aispV31 } from "#src/standard/aisp-v3.1/version.ts";
import { axeFaults } from "#test/axe.ts";
import { openBrowser, toNextPage } from "#test/browser.ts";
import { consentStatus, readAuthorisations, readConsent } from "#test/consents/stored-rows.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { type Caller, callerOf } from "./caller.ts";

// The bank's app, as the sandbox plays it.

let bank: TestBank;
let call: Caller;
let browser: Browser;
before(async () => {
  bank = await openBank();
  call = callerOf(bank);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await bank?.close();
});

type Approval = {
  approvalId: string;
  customer: string;
  digits: string;
  bindingMessage: string | null;
  facts: { label: string; value: string }[];
};

const waiting = async (): Promise<Approval[]> => {
  const answer = await call("GET", "/approvals");
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { approvals: Approval[] }).approvals;
};

const answer = (id: string, body: object) =>
  call("POST", `/approvals/${encodeURIComponent(id)}`, body);

/** Logs a customer in who uses the app, up to the page that waits for it. */
async function toApp(size = { width: 1280, height: 900 }, colorScheme: "light" | "dark" = "light") {
  const client = await bank.createTpp();
  const consentId = await lodgeAccess(client);
  const url = await client.authorizationUrl({ scope: "accounts", consentId });
  const context = await browser.newContext({ viewport: size, colorScheme });
  const page = await context.newPage();
  await page.goto(url);
  const { password } = present(
    bank.sandbox?.personas.find(({ login }) => login === "test_app"),
    "the customer",
  );
  await page.getByLabel("User ID").fill("test_app");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("Waiting for your answer").waitFor();
  const [one] = await waiting();
  return { client, consentId, page, approval: present(one, "what waits"), context };
}

test("CB-05: a customer approves in the app with the digits on the page, which goes on by itself", async () => {
  const { page, approval, context } = await toApp();
  assert.equal(approval.customer, "test_app");
  assert.equal(await page.locator(".digits").textContent(), approval.digits);
  const shown = (await page.locator(".linked").textContent()) ?? "";
  for (const { value } of approval.facts) assert.ok(shown.includes(value), value);
  const app = await context.newPage();
  await app.goto(`${bank.publicUrl}/sandbox/app`);
  const asked = (await page.locator(".in-app").textContent()) ?? "";
  const [, by = "no time"] = /Answer there by (.+)\./.exec(asked) ?? [];
  const inApp = (await app.locator(".linked").textContent()) ?? "";
  assert.match(inApp, new RegExp(`Answer by\\s*${by}\\s`), "both name the same time");
  await app.getByLabel("Number").fill(approval.digits);
  await app.getByRole("button", { name: "Approve" }).click();
  await app.getByText("Approved. Go back to the bank’s page.").waitFor();
  await page.getByRole("heading", { name: /share/i }).first().waitFor();
  assert.deepEqual(await waiting(), []);
  await context.close();
});

test("CB-05, CB-08: wrong digits approve nothing, and a request is answered once", async () => {
  const { approval, context } = await toApp();
  const wrong = approval.digits === "00" ? "01" : "00";
  const { approvalId } = approval;
  assert.equal((await answer(approvalId, { decision: "approve" })).status, 409);
  assert.equal((await answer(approvalId, { decision: "approve", digits: wrong })).status, 409);
  assert.equal((await answer(approvalId, { decision: "decline" })).status, 200);
  const late = await answer(approvalId, { decision: "approve", digits: approval.digits });
  assert.equal(late.status, 404);
  await context.close();
});

test("CB-06: a request that a customer declines in the app cancels the journey", async () => {
  const { consentId, page, approval, context } = await toApp();
  await answer(approval.approvalId, { decision: "decline" });
  await Promise.all([
    page.waitForRequest((request) => !request.url().startsWith(bank.publicUrl)),
    page.getByRole("button", { name: "Check now" }).click(),
  ]);
  const { status, reasons } = await readConsent(bank.database, consentId);
  assert.deepEqual([status, reasons[0]?.code], ["RJCT", "U033"]);
  await context.close();
});

test("a request whose journey has ended cannot be approved in the app, which says why", async () => {
  for (const [end, why] of [
    [
      async ({ page }: Awaited<ReturnType<typeof toApp>>) => {
        await page.getByRole("button", { name: "Cancel" }).click();
        await page.waitForURL((url) => !url.href.startsWith(bank.publicUrl)).catch(() => undefined);
      },
      "Cancelled: You have cancelled this request.",
    ],
    [
      async ({ page, client, consentId }: Awaited<ReturnType<typeof toApp>>) => {
        await page.close(); // so that no page finds out
        const path = `${pathOf(aispV31)}/account-access-consents/${consentId}`;
        const token = await client.clientToken("accounts");
        expectStatus(await client.call({ path, method: "DELETE", token }), 204);
      },
      /has withdrawn this request: It can no longer be approved\./,
    ],
  ] as const) {
    const asked = await toApp();
    const { approval, consentId, context } = asked;
    const app = await context.newPage();
    await app.goto(`${bank.publicUrl}/sandbox/app`);
    await end(asked);
    await app.getByLabel("Number").fill(approval.digits);
    await app.getByRole("button", { name: "Approve" }).click();
    await app.getByText("This request has ended, and nothing was approved here.").waitFor();
    await app.getByText(why).waitFor();
    const given = { decision: "approve", digits: approval.digits };
    const late = await answer(approval.approvalId, given);
    assert.equal(late.status, 404);
    assert.match(((await late.json()) as { message: string }).message, /nothing was approved here/);
    assert.notEqual(await consentStatus(bank.database, consentId), "AUTH");
    assert.deepEqual(await waiting(), []);
    await context.close();
  }
});

test("CB-03: after the page was checked, the browser's Back and Forward ask for nothing", async () => {
  const { page, context } = await toApp();
  await toNextPage(page, () => page.getByRole("link", { name: "Stop checking by itself" }).click());
  for (let turn = 0; turn < 2; turn += 1) {
    await toNextPage(page, () => page.getByRole("button", { name: "Check now" }).click());
  }
  for (const go of [() => page.goBack(), () => page.goForward()]) {
    await go();
    await page.getByText("Waiting for your answer").waitFor();
  }
  assert.equal(await page.getByText("Stop checking by itself").count(), 0);
  await context.close();
});

test("a request that expires in the app can be sent again", async () => {
  const { page, approval, context } = await toApp();
  await answer(approval.approvalId, { decision: "expire" });
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText("ended before you answered it").waitFor();
  await page.getByRole("button", { name: "Send it again" }).click();
  await page.getByText("Waiting for your answer").waitFor();
  const [again] = await waiting();
  assert.notEqual(again?.approvalId, approval.approvalId);
  await context.close();
});

test("a request that was replaced by a newer one says so", async () => {
  const { page, approval, context } = await toApp();
  await page.getByRole("button", { name: "Send it again" }).click();
  await page.getByText("We have sent this to your app again").waitFor();
  const given = { decision: "approve", digits: approval.digits };
  const late = await answer(approval.approvalId, given);
  assert.equal(late.status, 404);
  const { message } = (await late.json()) as { message: string };
  assert.match(message, /nothing was approved here\. This request was replaced: /);
  await context.close();
});

test("a program approves for a customer who uses the app", async () => {
  const client = await bank.createTpp();
  const consentId = await lodgeAccess(client);
  await bank.approve(client, { scope: "accounts", consentId, customer: "test_app" });
  const [given] = await readAuthorisations(bank.database, consentId);
  assert.equal(given?.method, "decoupled");
  assert.deepEqual(given?.amr, ["pwd", "hwk", "fpt", "mfa"]);
});

/** Asks a customer in the app, without a browser; returns what waits there. */
async function askAlone(claims: Record<string, unknown> = {}) {
  const client = await bank.createTpp();
  const consentId = await lodgeAccess(client);
  const customer = "amara";
  const path = "/approvals/one-time-identifiers";
  const { identifier } = await bank.control<{ identifier: string }>("POST", path, { customer });
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const hint = {
    login_hint_token: `${part({ alg: "none" })}.${part({ ephemeral_sub: identifier })}.`,
  };
  const asked = { scope: "accounts", consentId, claims: { ...hint, ...claims } } as const;
  expectStatus(await client.backchannel(asked), 200);
  const [approval] = await waiting();
  return { consentId, approval: present(approval, "what waits") };
}

test("CB-05, CB-70: a request without a page shows its message in the app and asks for no digits, beside one with a page", async () => {
  const { consentId, approval } = await askAlone({ binding_message: "Till 4" });
  assert.deepEqual([approval.digits, approval.bindingMessage], [null, "Till 4"]);
  const paged = await toApp();
  assert.equal(paged.approval.bindingMessage, null);
  const page = await browser.newPage();
  await page.goto(`${bank.publicUrl}/sandbox/app`);
  const card = (name: string) =>
    page.locator(".card", { has: page.getByRole("heading", { name }) });
  const withPage = card("test_app").first();
  assert.equal(await withPage.getByLabel("Number").count(), 1);
  assert.doesNotMatch((await withPage.textContent()) ?? "", /message/i);
  const alone = card("amara");
  assert.equal(await alone.getByLabel("Number").count(), 0);
  assert.match((await alone.textContent()) ?? "", /Message\s*Till 4/);
  await alone.getByRole("button", { name: "Approve" }).click();
  await page.getByText("Approved. Go back to where you started.").waitFor();
  assert.equal(await consentStatus(bank.database, consentId), "AUTH");
  await page.close();
  await paged.context.close();
});

test("the bank's own pages ask in the app too", async () => {
  const page = await browser.newPage();
  await page.goto(`${bank.publicUrl}/bank/login`);
  const customer = bank.sandbox?.personas.find(({ login }) => login === "test_app");
  await page.getByLabel("User ID").fill("test_app");
  await page.getByLabel("Password").fill(customer?.password ?? "");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("Waiting for your answer").waitFor();
  const [login] = await waiting();
  assert.deepEqual(login?.facts, []);
  await answer(login?.approvalId ?? "", { decision: "approve", digits: login?.digits });
  await page.getByText("Your accounts").first().waitFor();
  await page.close();
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [390, 1280]) {
    test(`the page that waits and the app have no violations at ${width} px, ${colorScheme}`, async () => {
      const { page, context } = await toApp({ width, height: 900 }, colorScheme);
      // a page that loads itself again cannot be checked on a slow machine
      await page.getByRole("link", { name: "Stop checking" }).click();
      await page.getByText("Waiting for your answer").waitFor();
      assert.equal(await page.getByRole("link", { name: "Stop checking" }).count(), 0);
      assert.deepEqual(await axeFaults(page), []);
      const { approval } = await askAlone({ binding_message: "Till 4" });
      await page.goto(`${bank.publicUrl}/sandbox/app`);
      await page.getByText("Till 4").waitFor();
      assert.deepEqual(await axeFaults(page), []);
      const folder = process.env.ALDGATE_TEST_PICTURES;
      const path = `${folder}/app-${width}-${colorScheme}.png`;
      if (folder) await page.screenshot({ path, fullPage: true });
      await answer(approval.approvalId, { decision: "decline" });
      await context.close();
    });
  }
}
