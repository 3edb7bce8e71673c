import assert from "node:assert/strict";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { openBrowser } from "#test/browser.ts";

/** The pages of a journey, by what they ask for. */
export type PageName = "login" | "factor" | "accounts" | "review" | "returning" | "other";

/** Where a browser came back to the TPP: its answer, as the fragment says it. */
export type Return = { url: string; answer: Record<string, string> };

const callback = "http://localhost:7878/callback";

/** Chromium with one customer a context; close it when the tests are done. */
export type Customers = {
  browser: Browser;
  /** Opens a browser of its own for a customer, with the redirect URI of the tests caught. */
  arrive(options?: BrowserContextOptions): Promise<Customer>;
  close(): Promise<void>;
};

/** Starts Chromium for a test file. */
export async function openCustomers(): Promise<Customers> {
  const browser = await openBrowser();
  return {
    browser,
    async arrive(options = {}) {
      const context = await browser.newContext(options);
      return new Customer(context, await openPage(context));
    },
    close: () => browser.close(),
  };
}

// The TPP's page: nothing listens there, and the answer is in the fragment, which is not sent.
async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.route(`${callback}**`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>TPP</title><h1>Back</h1>" }),
  );
  page.setDefaultTimeout(15_000);
  return page;
}

/** A customer in front of the bank's pages. */
export class Customer {
  readonly context: BrowserContext;
  readonly page: Page;

  constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
  }

  /** Another tab of the same browser. */
  async openTab(): Promise<Customer> {
    return new Customer(this.context, await openPage(this.context));
  }

  async open(url: string): Promise<void> {
    await this.page.goto(url);
  }

  /** Which page is shown. */
  async shown(): Promise<PageName> {
    const { page } = this;
    if ((await page.locator("input[name=password]").count()) > 0) return "login";
    if ((await page.locator("input[name=code]").count()) > 0) return "factor";
    if ((await page.locator("fieldset.accounts").count()) > 0) return "accounts";
    if ((await page.locator("button[value=approve]").count()) > 0) return "review";
    return (await page.locator("meta[http-equiv=refresh]").count()) > 0 ? "returning" : "other";
  }

  async login(login: string, password = `${login}-sandbox`): Promise<void> {
    await this.page.fill("input[name=login]", login);
    await this.page.fill("input[name=password]", password);
    await this.press("continue");
  }

  /** Types the code that the sandbox shows, or another one. */
  async factor(code?: string): Promise<void> {
    const shown = code ?? (await this.page.locator("aside.sandbox code").textContent()) ?? "";
    await this.page.fill("input[name=code]", shown);
    await this.press("continue");
  }

  async choose(...accountIds: string[]): Promise<void> {
    for (const id of accountIds) await this.page.check(`input[name=account][value="${id}"]`);
    await this.press("continue");
  }

  async press(decision: string): Promise<void> {
    await this.page.click(`button[name=decision][value=${decision}]`);
  }

  /** Login, second factor and, where they are asked for, accounts: up to the review. */
  async goToReview(login: string, ...accountIds: string[]): Promise<void> {
    await this.login(login);
    await this.factor();
    if ((await this.shown()) === "accounts") await this.choose(...accountIds);
    assert.equal(await this.shown(), "review");
  }

  /** Text of the page. */
  async text(): Promise<string> {
    return (await this.page.locator("body").innerText()).replaceAll(/\s+/g, " ");
  }

  /** Follows the way back to the TPP, and reads what it was answered. */
  async comeBack(): Promise<Return> {
    const { page } = this;
    if (!page.url().startsWith(callback)) {
      assert.equal(await this.shown(), "returning", await this.text());
      await page.click("a.button");
    }
    await page.waitForURL(`${callback}**`);
    const url = page.url();
    return { url, answer: Object.fromEntries(new URLSearchParams(new URL(url).hash.slice(1))) };
  }

  leave(): Promise<void> {
    return this.context.close();
  }
}
