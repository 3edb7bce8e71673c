import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Locator,
  Page,
} from "playwright-core";
import { openBrowser, toNextPage } from "#test/browser.ts";
import { closeAfterTests } from "#test/close-after.ts";
import { assertTypeset } from "#test/pages/apostrophes.ts";
import { patienceMs } from "#test/until.ts";

/** The pages of a journey, named by what they ask for. */
export type PageName = "login" | "factor" | "accounts" | "review" | "other";

/** The customer's return to the TPP: the URL, and the response in its fragment. */
export type Return = { url: string; answer: Record<string, string> };

/** Chromium with one context per customer. Close it when the tests are done. */
export type Customers = {
  browser: Browser;
  /** The URL of the TPP's page, to register as a redirect URI. */
  redirectUri: string;
  /** Opens a separate browser context for a customer. */
  arrive(options?: BrowserContextOptions): Promise<Customer>;
  /** Logs a customer in to the bank's own pages, in a browser without scripts. */
  enterBank(bank: { publicUrl: string }, login: string): Promise<Customer>;
  close(): Promise<void>;
};

/** Starts Chromium, and a TPP's page to which the bank sends customers back. */
export const openCustomers = (): Promise<Customers> => closeAfterTests(startCustomers());

async function startCustomers(): Promise<Customers> {
  const browser = await openBrowser();
  const tpp = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><title>TPP</title><h1>Welcome back</h1>");
  }).listen(0, "127.0.0.1");
  await once(tpp, "listening");
  // a server on a port, not on a pipe, has this kind of address
  const redirectUri = `http://127.0.0.1:${(tpp.address() as AddressInfo).port}/callback`;
  const arrive = async (options: BrowserContextOptions = {}): Promise<Customer> => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(patienceMs);
    return new Customer(context, await context.newPage(), redirectUri);
  };
  return {
    browser,
    redirectUri,
    arrive,
    async enterBank({ publicUrl }, login) {
      const customer = await arrive({ javaScriptEnabled: false });
      await customer.open(`${publicUrl}/bank`);
      await customer.login(login);
      await customer.factor();
      assert.match(await customer.text(), /Your accounts/);
      return customer;
    },
    async close() {
      await browser.close();
      tpp.close();
      tpp.closeAllConnections();
    },
  };
}

/** A customer who uses the bank's pages. */
export class Customer {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly #callback: string;

  constructor(context: BrowserContext, page: Page, callback: string) {
    this.context = context;
    this.page = page;
    this.#callback = callback;
  }

  /** Opens another tab of the same browser. */
  async openTab(): Promise<Customer> {
    return new Customer(this.context, await this.context.newPage(), this.#callback);
  }

  async open(url: string): Promise<void> {
    await this.page.goto(url);
  }

  /** Returns which page is shown. */
  async shown(): Promise<PageName> {
    const { page } = this;
    if ((await page.locator("input[name=password]").count()) > 0) return "login";
    if ((await page.locator("input[name=code]").count()) > 0) return "factor";
    if ((await page.locator("fieldset.accounts").count()) > 0) return "accounts";
    return (await this.canApprove()) ? "review" : "other";
  }

  /** Whether the page asks for the approval. */
  async canApprove(): Promise<boolean> {
    return (await this.page.locator("button[value=approve]").count()) > 0;
  }

  async login(login: string, password = `${login}-sandbox`): Promise<void> {
    await this.page.fill("input[name=login]", login);
    await this.page.fill("input[name=password]", password);
    await this.press("continue");
  }

  /** Enters the code that the sandbox shows, or the given code, and goes on. */
  async factor(code?: string): Promise<void> {
    await this.enterCode(code);
    await this.goOn();
  }

  async enterCode(code?: string): Promise<void> {
    const shown = code ?? (await this.page.locator("aside.sandbox code").textContent()) ?? "";
    await this.page.fill("input[name=code]", shown);
  }

  /** Chooses accounts and goes on. */
  async choose(...accountIds: string[]): Promise<void> {
    await this.mark(...accountIds);
    await this.goOn();
  }

  async mark(...accountIds: string[]): Promise<void> {
    for (const id of accountIds) await this.page.check(`input[name=account][value="${id}"]`);
  }

  /** Presses the button that goes on, which approves if nothing else is to be shown. */
  async goOn(): Promise<void> {
    await this.press((await this.canApprove()) ? "approve" : "continue");
  }

  /** Presses a button and waits for the next page. */
  async press(decision: string): Promise<void> {
    const { page } = this;
    await toNextPage(page, () => page.click(`button[name=decision][value=${decision}]`));
  }

  /** Follows a link, and waits for the next page. */
  async follow(link: string | Locator): Promise<void> {
    const place = typeof link === "string" ? this.page.locator(link) : link;
    await toNextPage(this.page, () => place.click());
  }

  /** Logs in, and fills in the pages up to the one that asks for the approval. */
  async goToApproval(login: string, ...accountIds: string[]): Promise<void> {
    await this.login(login);
    await this.goOnToApproval(accountIds);
  }

  /** Fills in the pages from the second factor up to the one that asks for the approval. */
  async goOnToApproval(accountIds: readonly string[], code?: string): Promise<void> {
    await this.enterCode(code);
    if (await this.canApprove()) return;
    await this.goOn();
    if ((await this.shown()) === "accounts") {
      await this.mark(...accountIds);
      if (await this.canApprove()) return;
      await this.goOn();
    }
    assert.equal(await this.shown(), "review");
  }

  /** Returns the hidden fields of the form. */
  async hidden(): Promise<Record<string, string>> {
    const inputs = await this.page.locator("form input[type=hidden]").all();
    const fields = inputs.map(
      async (input): Promise<[string, string]> => [
        (await input.getAttribute("name")) ?? "",
        (await input.getAttribute("value")) ?? "",
      ],
    );
    return Object.fromEntries(await Promise.all(fields));
  }

  /** Returns the text of the page. */
  async text(): Promise<string> {
    const all = (await this.page.locator("body").textContent()) ?? "";
    const text = all.replaceAll(/\s+/g, " ");
    // rows of all kinds of consents are read here, as the bank's own pages are
    if (/^\/(?:journey|bank)\b/.test(new URL(this.page.url()).pathname)) assertTypeset(text);
    return text;
  }

  /** Goes back to the TPP from the last page, which redirects or has a link; reads the response. */
  async comeBack(): Promise<Return> {
    const { page } = this;
    const isStill = "html:not(:has(meta[http-equiv=refresh]))";
    const link = page.locator(`${isStill} .outcome a.button`);
    if ((await link.count()) > 0) await link.click();
    await page.waitForURL(`${this.#callback}**`, { waitUntil: "commit" });
    const url = page.url();
    return { url, answer: Object.fromEntries(new URLSearchParams(new URL(url).hash.slice(1))) };
  }

  leave(): Promise<void> {
    return this.context.close();
  }
}
