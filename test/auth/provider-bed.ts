import { createServer } from "node:http";
import type { Page } from "playwright-core";
import type { BankLogin } from "#src/auth/login/bank-login.ts";
import type { Bank } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import { openBrowser } from "#test/browser.ts";
import { freePort } from "#test/free-port.ts";
import { openAuthBed } from "./auth-bed.ts";
import { openBankProvider, type ProviderMood } from "./bank-provider.ts";

/** The buttons that decide; the first one of a choice shows it again. */
export const decisions = 'button[name="decision"]:not([value="show"])';

/** Opens the TPP's own site, to which a customer's browser comes back. */
export async function openTppSite() {
  const port = await freePort();
  const callback = `http://localhost:${port}/callback`;
  const site = createServer((_request, response) => response.end("Back at the TPP"));
  await new Promise<void>((resolve) => site.listen(port, "127.0.0.1", resolve));
  return {
    callback,
    /** The URL at which a page comes back; some tests never do. */
    returnOf(page: Page, timeout?: number): Promise<string> {
      const given = timeout === undefined ? {} : { timeout };
      const returned = page.waitForURL(`${callback}*`, given).then(() => page.url());
      returned.catch(() => undefined);
      return returned;
    },
    close(): void {
      site.closeAllConnections();
      site.close();
    },
  };
}

/** A bank whose customers log in at its own OpenID provider, with a TPP's site and a browser. */
export type ProviderBed = Awaited<ReturnType<typeof openProviderBed>>;

/** Opens such a bank. `bank` has more calls of its core. */
export async function openProviderBed(
  setup: Parameters<typeof openBankProvider>[0] = {},
  bank: Partial<Bank> = {},
) {
  const provider = await openBankProvider(setup);
  let bankLogin: BankLogin | null = null;
  const bed = await openAuthBed({
    bank,
    async bankLogin(publicUrl) {
      bankLogin = await provider.serve(publicUrl);
      return bankLogin;
    },
  });
  const site = await openTppSite();
  const tpp = await bed.createTpp({ redirectUris: [site.callback] });
  const browser = await openBrowser();
  return {
    provider,
    bed,
    site,
    tpp,
    browser,
    bankLogin: () => present<BankLogin>(bankLogin, "the bank's login"),
    /** What the provider does with the next customer, and nothing else. */
    setMood(mood: ProviderMood): void {
      for (const name of Object.keys(provider.mood)) {
        delete provider.mood[name as keyof ProviderMood];
      }
      Object.assign(provider.mood, mood);
    },
    /** A page of a browser of its own. */
    async newPage(): Promise<Page> {
      const page = await (await browser.newContext()).newPage();
      page.setDefaultTimeout(8000);
      return page;
    },
    async close(): Promise<void> {
      await browser.close();
      await bed.close();
      provider.close();
      site.close();
    },
  };
}
