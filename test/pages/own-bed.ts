import assert from "node:assert/strict";
import { after, before } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import { accountAccessKind } from "#src/accounts/consent/account-access-kind.ts";
import { createDevices } from "#src/auth/login/browser.ts";
import { createLogin } from "#src/auth/login/methods/login.ts";
import { registerOwnPages } from "#src/auth/own-pages/register-own-pages.ts";
import type { ChallengeSubject } from "#src/bank/challenge.ts";
import type { Bank, BankAccount } from "#src/bank/port.ts";
import { loadConfig } from "#src/config/config.ts";
import { newId } from "#src/lib/ids.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import type { Database } from "#src/storage/database.ts";
import { addAccounts } from "#test/account-store/add-accounts.ts";
import { addHolders } from "#test/account-store/add-holders.ts";
import { addClient } from "#test/clients/add-client.ts";
import { addConsents } from "#test/consents/add-consents.ts";
import { addOrders } from "#test/payments/add-orders.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { addCustomers } from "#test/sandbox/stored-customers.ts";

// the core is not tested here: it has one customer, one account and one code
const account: BankAccount = {
  accountId: "acc-1",
  accountType: "Business",
  accountSubType: "CurrentAccount",
  currency: "GBP",
  nickname: "Trading",
  holderName: "Northstar Ltd",
  sortCodeAccountNumber: "20201010981789",
  iban: null,
  maskedPan: null,
  signatoriesRequired: 2,
  status: "Enabled",
};
const names: Record<string, string> = { c1: "Ann North", c2: "Ben Star" };
/**
 * Opens the bank's own pages for the tests of a file, with a clock that can be set forward, and two
 * signatories, `c1` and `c2`.
 */
export function useOwnPages() {
  const asked: ChallengeSubject[] = [];
  const core = {
    authenticate: async (login: string, password: string) =>
      password === "right" && names[login]
        ? { customerId: login, login, name: names[login] }
        : null,
    challenge: async (_: string, subject: ChallengeSubject) => {
      asked.push(subject);
      const sentTo = "mobile ending 417";
      return {
        challengeId: newId("sca"),
        method: "code",
        expiresAt: now.add({ minutes: 5 }),
        sentTo,
      };
    },
    verify: async (_: string, code: string) => code === "123456",
    loadCustomer: async (customerId: string) => ({
      customerId,
      login: customerId,
      name: names[customerId] ?? "",
    }),
    listAccounts: async () => [account],
    loadAccount: async () => account,
    loadFunds: async () =>
      new Map([["acc-1", { bookedMinor: 500_000n, availableMinor: 450_000n, currency: "GBP" }]]),
  };

  let now = Temporal.Instant.from("2026-11-21T10:00:00Z");
  let woken = 0;
  const publicUrl = "https://bank.example";
  let database: Database;
  let app: FastifyInstance;

  before(async () => {
    database = await openEmpty();
    app = Fastify();
    const bank = core as unknown as Bank; // the pages use only these calls
    const clock = { now: () => now };
    const limits = { concurrency: 8, queue: 64, failuresPerMinute: 0 };
    registerOwnPages(app, {
      database,
      bank,
      kinds: paymentKinds,
      config: loadConfig({}),
      clock,
      login: createLogin({ database, bank, clock, coreClock: clock, limits }),
      devices: createDevices("a secret of thirty-two characters", publicUrl),
      cookieSecret: "a secret of thirty-two characters",
      publicUrl,
      bankName: "Aldgate Bank",
      homeUrl: "https://www.bank.example/start",
      accessKinds: [accountAccessKind],
      sandbox: null,
      passkeys: null,
      bankLogin: null,
      log: { warn: () => undefined },
      wakeEngine: () => {
        woken += 1;
      },
    });
    await seed(database);
  });
  after(async () => {
    await app.close();
    await database.close();
  });

  /** A customer's browser. It keeps its cookie and the hidden fields of the last forms. */
  function browse() {
    const cookies = new Map<string, string>();
    const hidden = new Map<string, string>();
    const send = async (method: "GET" | "POST", url: string, fields?: Record<string, string>) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { cookie, "content-type": "application/x-www-form-urlencoded" };
      const payload = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields }).toString();
      const given = method === "GET" ? { headers: { cookie } } : { headers, payload };
      const response = await app.inject({ method, url, ...given });
      for (const { name, value } of response.cookies) cookies.set(name, value);
      for (const [, name = "", value = ""] of response.body.matchAll(
        /type="hidden" name="(\w+)" value="([^"]+)"/g,
      )) {
        hidden.set(name, value);
      }
      return response;
    };
    return {
      get: (url: string) => send("GET", url),
      post: (url: string, fields: Record<string, string>) => send("POST", url, fields),
      cookies,
    };
  }

  async function logIn(login: string) {
    const browser = browse();
    await browser.get("/bank/login");
    await browser.post("/bank/login", { decision: "continue", login, password: "right" });
    await browser.get("/bank/login");
    const done = await browser.post("/bank/login", { decision: "continue", code: "123 456" });
    assert.equal(done.headers.location, "/bank");
    return browser;
  }

  return {
    browse,
    logIn,
    /** The subjects of the challenges, in their order. */
    asked,
    /** Calls a page without a browser. */
    inject: (request: { url: string; headers?: Record<string, string> }) => app.inject(request),
    database: () => database,
    /** How often the payment engine was told that a payment is due. */
    woken: () => woken,
    now: () => now,
    advance: (duration: Temporal.DurationLike) => {
      now = now.add(duration);
    },
  };
}

/** A customer's browser. */
export type OwnBrowser = ReturnType<ReturnType<typeof useOwnPages>["browse"]>;

async function seed(database: Database): Promise<void> {
  await addClient(database, "pocketwise", { name: "Pocketwise" });
  const { accountId, accountType, holderName, signatoriesRequired } = account;
  await addCustomers(database, [
    { customerId: "c1", name: "c1", kind: "business" },
    { customerId: "c2", name: "c2", kind: "business" },
  ]);
  const statusUpdatedAt = Temporal.Instant.from("2026-01-01T00:00:00Z");
  await addAccounts(database, [
    { accountId, accountType, holderName, signatoriesRequired, statusUpdatedAt },
  ]);
  await addHolders(database, [
    { accountId, customerId: "c1", role: "signatory" },
    { accountId, customerId: "c2", role: "signatory" },
  ]);
  const authorisedAt = Temporal.Instant.from("2026-05-01T00:00:00Z");
  await addConsents(database, [
    {
      consentId: "aac-1",
      kind: "account-access",
      apiVersion: "aisp-v3.1",
      clientId: "pocketwise",
      status: "AUTH",
      at: authorisedAt,
      authorisedAt,
      permissions: ["ReadAccountsDetail", "ReadBalances"],
      customerId: "c2",
      accountIds: [accountId],
    },
  ]);
  await lodgeOrder(database, "pdp-1", "domestic-payment", null);
  await lodgeOrder(database, "pdp-2", "domestic-payment", null);
  await lodgeOrder(database, "pdp-3", "domestic-payment", null);
  await lodgeOrder(database, "sch-1", "domestic-scheduled-payment", "2026-12-01T00:00:00Z");
}

async function lodgeOrder(
  database: Database,
  id: string,
  kind: PaymentKindId,
  executeAt: string | null,
): Promise<void> {
  const at = Temporal.Instant.from("2026-11-21T09:00:00Z");
  const due = executeAt === null ? null : Temporal.Instant.from(executeAt);
  const waits = due === null;
  const creditor = { schemeName: "s", identification: "30303012345678", name: "Acme <Ltd>" };
  const its = { consentId: `c-${id}`, kind, clientId: "pocketwise", at };
  await addConsents(database, [{ ...its, status: "COND" }]);
  await addOrders(database, [
    {
      ...its,
      orderId: id,
      customerId: "c1",
      debtorAccountId: "acc-1",
      status: waits ? "PATC" : "PDNG",
      waits,
      signableUntil: waits ? at.add({ hours: 72 }) : null,
      signatories: waits ? 2 : null,
      signedBy: ["c1"],
      payment: {
        paymentId: `p-${id}`,
        amountMinor: 124_950n,
        creditor,
        reference: "INV 1",
        executeAt: due,
        dueAt: due,
      },
    },
  ]);
}

/** Follows a redirect to the page after an act; returns the message on it. */
export async function said(
  browser: OwnBrowser,
  done: { headers: { location?: unknown } },
): Promise<string> {
  const location = String(done.headers.location);
  assert.doesNotMatch(location, /\?/);
  const { body } = await browser.get(location);
  return /<div class="notice done" role="status"><p>(.*?)<\/p>/s.exec(body)?.[1] ?? "";
}

/** Submits a form that leads to the second-factor page, reads that page, and enters a code. */
export async function confirm(
  browser: OwnBrowser,
  form: { headers: { location?: unknown } },
  code = "123456",
) {
  const url = String(form.headers.location);
  assert.match(url, /^\/bank\/confirm\/sca-/);
  const page = await browser.get(url);
  const answer = await browser.post(url, { decision: "continue", code });
  return { page: page.body, answer, url };
}
