// The pages of an order, a consent, an account and a customer, with the buttons of their acts.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { expectAccessible, looks, lookText, openPage } from "#test/axe.ts";
import { openBrowser } from "#test/browser.ts";
import { type ActsBed, openActs } from "./acts-bed.ts";

let bed: ActsBed;
let browser: Browser;
let consentId: string;
before(async () => {
  bed = await openActs();
  browser = await openBrowser();
  ({ consentId } = await bed.access());
});
after(async () => {
  await browser?.close();
  await bed?.bank.close();
});

const urlOf = (id: string): string => `${bed.bank.publicUrl}/sandbox/explanations?id=${id}`;
const pending = () => bed.order("domestic-payment", "00990000000004", "ACSC");

/** Moves the focus from the top of a page with the Tab key until a button has it. */
async function tabTo(page: Page, name: string): Promise<void> {
  const button = page.getByRole("button", { name, exact: true });
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab");
    if (await button.evaluate((element) => element.matches(":focus"))) return;
  }
  assert.fail(`the Tab key does not reach ${name}`);
}

test("an order is refused with the keyboard alone, and its page says so", async () => {
  const { id, status } = await pending();
  const page = await browser.newPage();
  await page.goto(urlOf(id));
  await tabTo(page, "Refuse");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Result: RJCT.").waitFor();
  assert.equal(await status(), "RJCT");
  await page.close();
});

test("an order is advanced without JavaScript, and a second time is refused in words", async () => {
  const { id, status } = await pending();
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(urlOf(id));
  await page.getByRole("button", { name: "Advance", exact: true }).press("Enter");
  await page.getByRole("status").getByText("Result: ACCC.").waitFor();
  assert.equal(await status(), "ACCC");
  await page.getByRole("button", { name: "Advance", exact: true }).press("Enter");
  await page.getByRole("alert").getByText("The payment is ACCC.").waitFor();
  await page.close();
});

test("money is paid into an account without JavaScript, with the fields of its form", async () => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(urlOf(bed.accountId));
  await page.getByLabel("amount").fill("12.34");
  await page.getByRole("button", { name: "Pay in", exact: true }).press("Enter");
  await page.getByRole("status").getByText("Result: paid in.").waitFor();
  await page.getByLabel("amount").fill("much");
  await page.getByRole("button", { name: "Pay in", exact: true }).press("Enter");
  await page.getByRole("alert").getByText("amount").waitFor();
  await page.close();
});

for (const look of looks) {
  test(`WCAG: axe finds no fault on the pages with acts ${lookText(look)}`, async () => {
    const page = await openPage(browser, look);
    const { id: order } = await bed.order("domestic-payment", "00990000000001", "ACCC");
    const pages = { order, consent: consentId, account: bed.accountId, customer: bed.login };
    for (const [name, id] of Object.entries(pages)) {
      await page.goto(`${urlOf(id)}&done=fire-event&status=1%20event%20fired`);
      await page.getByRole("heading", { name: /^Do something to this/ }).waitFor();
      await expectAccessible(page, `the page of the ${name}`, look);
    }
    await page.close();
  });
}
