import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import { accountAccessKind } from "#src/accounts/consent/account-access-kind.ts";
import { createDevices } from "#src/auth/login/browser.ts";
import { createLogin } from "#src/auth/login/login.ts";
import { registerOwnPages } from "#src/auth/own-pages/register-own-pages.ts";
import { purgeSessions } from "#src/auth/own-pages/session.ts";
import type { ChallengeSubject } from "#src/bank/challenge.ts";
import type { Bank, BankAccount } from "#src/bank/port.ts";
import { kindNamed } from "#src/consents/stored-kind.ts";
import { newId } from "#src/lib/ids.ts";
import { paymentKinds } from "#src/payments/kinds/payment-kinds.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { openEmpty } from "#test/bank/empty-bank.ts";
import { addClient } from "#test/clients/add-client.ts";

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
const asked: ChallengeSubject[] = [];
const core = {
  authenticate: async (login: string, password: string) =>
    password === "right" && names[login] ? { customerId: login, login, name: names[login] } : null,
  challenge: async (_: string, subject: ChallengeSubject) => {
    asked.push(subject);
    return { challengeId: newId("sca"), method: "code", expiresAt: now.add({ minutes: 5 }) };
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
    clock,
    login: createLogin({ database, bank, clock, coreClock: clock, limits }),
    devices: createDevices("a secret of thirty-two characters", true),
    cookieSecret: "a secret of thirty-two characters",
    secure: true,
    bankName: "Aldgate Bank",
    accessKinds: [accountAccessKind],
    sandbox: null,
    wakeEngine: () => {
      woken += 1;
    },
  });
  await seed();
});
after(async () => {
  await app.close();
  await database.close();
});

async function seed(): Promise<void> {
  await addClient(database, "pocketwise", { name: "Pocketwise" });
  await database.execute(`
    insert into customer select id, id, id, 'business', '', '' from unnest(array['c1', 'c2']) id;
    insert into account (account_id, account_type, account_sub_type, currency, holder_name,
      opened_on, status_updated_at, signatories_required)
      values ('acc-1', 'Business', 'CurrentAccount', 'GBP', 'Northstar Ltd', '2020-01-01',
        '2026-01-01T00:00:00Z', 2);
    insert into account_holder values ('acc-1', 'c1', 'signatory'), ('acc-1', 'c2', 'signatory');
    insert into consent (api_version,
      consent_id, kind, client_id, status, created_at, status_updated_at, body,
      permissions, customer_id, authorised_at)
      values ('aisp-v3.1', 'aac-1', 'account-access', 'pocketwise', 'AUTH', '2026-05-01T00:00:00Z',
        '2026-05-01T00:00:00Z', '{}', '{ReadAccountsDetail,ReadBalances}', 'c2',
        '2026-05-01T00:00:00Z');
    insert into consent_account (consent_id, account_id, covered_from)
      values ('aac-1', 'acc-1', '2026-05-01T00:00:00Z');`);
  await lodgeOrder("pdp-1", "domestic-payment", null);
  await lodgeOrder("pdp-2", "domestic-payment", null);
  await lodgeOrder("pdp-3", "domestic-payment", null);
  await lodgeOrder("sch-1", "domestic-scheduled-payment", "2026-12-01T00:00:00Z");
}

async function lodgeOrder(
  id: string,
  kind: PaymentKindId,
  executeAt: string | null,
): Promise<void> {
  const at = Temporal.Instant.from("2026-11-21T09:00:00Z");
  const due = executeAt === null ? null : Temporal.Instant.from(executeAt);
  const waits = due === null;
  const creditor = { schemeName: "s", identification: "30303012345678", name: "Acme <Ltd>" };
  await database.query(sql`insert into consent (api_version,
    consent_id, kind, client_id, status, created_at,
    status_updated_at, body) values ('pisp-v4.0',
      ${`c-${id}`}, ${kind}, 'pocketwise', 'COND', ${at}, ${at},
    '{}')`);
  await database.query(sql`insert into payment_order (api_version,
    order_id, consent_id, kind, family, client_id,
      customer_id, debtor_account_id, status, created_at, status_updated_at, signatories_required,
      signatories_received, authorisation_status, authorisation_expires_at, signed_by)
    values ('pisp-v4.0',
      ${id}, ${`c-${id}`}, ${kind}, ${kindNamed(kind, paymentKinds).family}, 'pocketwise',
      'c1', 'acc-1', ${waits ? "PATC" : "PDNG"},
      ${at}, ${at}, ${waits ? 2 : null}, ${waits ? 1 : null}, ${waits ? "AWAF" : null},
      ${waits ? at.add({ hours: 72 }) : null}, '{c1}')`);
  await database.query(sql`insert into payment (payment_id, order_id, sequence, status, created_at,
      status_updated_at, debtor_account_id, amount_minor, currency, creditor, reference,
      execute_at, due_at)
    values (${`p-${id}`}, ${id}, 1, ${waits ? "PATC" : "PDNG"}, ${at}, ${at}, 'acc-1', 124950,
      'GBP', ${JSON.stringify(creditor)}::json, 'INV 1', ${due}, ${due})`);
}

const sessionCookie = "__Host-aldgate-bank";

/** A customer's browser. It keeps its cookie and the token of the last form. */
function browse() {
  const cookies = new Map<string, string>();
  let csrf = "";
  const send = async (method: "GET" | "POST", url: string, fields?: Record<string, string>) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { cookie, "content-type": "application/x-www-form-urlencoded" };
    const payload = new URLSearchParams({ csrf, ...fields }).toString();
    const given = method === "GET" ? { headers: { cookie } } : { headers, payload };
    const response = await app.inject({ method, url, ...given });
    for (const { name, value } of response.cookies) cookies.set(name, value);
    csrf = /name="csrf" value="([^"]+)"/.exec(response.body)?.[1] ?? csrf;
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

test("the bank's own pages show nothing before both factors have succeeded", async () => {
  const browser = browse();
  assert.equal((await browser.get("/bank")).headers.location, "/bank/login");
  await browser.get("/bank/login");
  const wrong = await browser.post("/bank/login", {
    decision: "continue",
    login: "c2",
    password: "wrong",
  });
  assert.match(wrong.body, /role="alert"/);
  await browser.post("/bank/login", { decision: "continue", login: "c2", password: "right" });
  assert.equal((await browser.get("/bank")).headers.location, "/bank/login");
  assert.match((await browser.get("/bank/login")).body, /one-time-code/);
  const bad = await browser.post("/bank/login", { decision: "continue", code: "000000" });
  assert.match(bad.body, /That code is not right/);
  assert.equal((await browser.get("/bank")).headers.location, "/bank/login");
});

test("the overview shows accounts, payments to approve, upcoming payments and connections", async () => {
  const browser = await logIn("c2");
  const page = await browser.get("/bank");
  assert.equal(page.statusCode, 200);
  assert.match(String(page.headers["content-security-policy"]), /default-src 'none'/);
  for (const text of ["20-20-10 10981789", "£5,000.00", "£1,249.50", "Acme &lt;Ltd&gt;"]) {
    assert.ok(page.body.includes(text), text);
  }
  assert.match(page.body, /1 December 2026/);
  assert.match(page.body, /Pocketwise<\/b> <span class="status on">Active/);
});

test("a payment that the customer has signed is not listed for approval again", async () => {
  const browser = await logIn("c1");
  assert.doesNotMatch((await browser.get("/bank")).body, /Waiting for your approval/);
});

/** Submits a form that leads to the second-factor page, reads that page, and enters a code. */
async function confirm(
  browser: ReturnType<typeof browse>,
  form: { headers: { location?: unknown } },
  code = "123456",
) {
  const url = String(form.headers.location);
  assert.match(url, /^\/bank\/confirm\/sca-/);
  const page = await browser.get(url);
  const answer = await browser.post(url, { decision: "continue", code });
  return { page: page.body, answer, url };
}

test("P-169: the second signatory approves with a code, and the payment engine starts immediately", async () => {
  const browser = await logIn("c2");
  const page = await browser.get("/bank/approvals/pdp-1");
  assert.match(page.body, /Ann North<\/b> has approved this payment/);
  const form = await browser.post("/bank/approvals/pdp-1", { decision: "approve" });
  const bad = await confirm(browser, form, "000000");
  assert.match(bad.page, /£1,249\.50/);
  assert.match(bad.page, /Acme &lt;Ltd&gt;/);
  assert.match(bad.answer.body, /That code is not right/);
  assert.equal(woken, 0);
  const { answer, url } = await confirm(browser, form);
  assert.equal(answer.headers.location, "/bank?done=complete");
  assert.equal(woken, 1);
  const subject = asked.findLast(({ act }) => act === "signature");
  assert.ok(subject && "amount" in subject && subject.amount === "£1,249.50");
  const again = await browser.post(url, { decision: "continue", code: "123456" });
  assert.equal(again.headers.location, "/bank");
  const twice = await browser.post("/bank/approvals/pdp-1", { decision: "approve" });
  assert.equal(twice.headers.location, "/bank?done=notWaiting");
  assert.equal(woken, 1);
});

test("a code does not approve a payment that has changed since", async () => {
  const browser = await logIn("c2");
  await browser.get("/bank");
  const form = await browser.post("/bank/approvals/pdp-3", { decision: "approve" });
  await database.query(sql`update payment set amount_minor = 999999 where order_id = 'pdp-3'`);
  const { page, answer } = await confirm(browser, form);
  assert.match(page, /£1,249\.50/);
  assert.equal(answer.headers.location, "/bank?done=notWaiting");
  const row = await first<{ status: string; signed: string[] }>(
    database,
    sql`select status, signed_by as signed from payment_order where order_id = 'pdp-3'`,
  );
  assert.deepEqual(row, { status: "PATC", signed: ["c1"] });
});

test("a challenge cannot be answered by another customer or used for another act", async () => {
  const [ben, ann] = [await logIn("c2"), await logIn("c1")];
  await ben.get("/bank");
  const form = await ben.post("/bank/approvals/pdp-3", { decision: "approve" });
  const url = String(form.headers.location);
  assert.equal((await ann.get(url)).statusCode, 404);
  await ann.get("/bank");
  assert.equal((await ann.post(url, { code: "123456" })).statusCode, 404);
  const login = await first<{ id: string }>(
    database,
    sql`select challenge_id as id from login_challenge
      where customer_id = 'c2' and subject ->> 'act' = 'login' limit 1`,
  );
  assert.equal((await ben.get(`/bank/confirm/${login?.id}`)).statusCode, 404);
  assert.equal((await ben.get("/bank/confirm/sca-unknown")).statusCode, 404);
});

test("a payment that the second signatory declines is rejected", async () => {
  const browser = await logIn("c2");
  await browser.get("/bank/approvals/pdp-2");
  const done = await browser.post("/bank/approvals/pdp-2", { decision: "decline" });
  assert.equal(done.headers.location, "/bank?done=rejected");
  const row = await first<{ status: string }>(
    database,
    sql`select status from payment_order where order_id = 'pdp-2'`,
  );
  assert.equal(row?.status, "RJCT");
});

test("an upcoming payment is cancelled on its own page", async () => {
  const browser = await logIn("c2");
  assert.match((await browser.get("/bank/upcoming/sch-1")).body, /Cancel this payment\?/);
  const kept = await browser.post("/bank/upcoming/sch-1", { decision: "keep" });
  assert.equal(kept.headers.location, "/bank");
  const form = await browser.post("/bank/upcoming/sch-1", { decision: "stop" });
  const { page, answer } = await confirm(browser, form);
  assert.match(page, /1 December 2026/);
  assert.equal(answer.headers.location, "/bank?done=cancelled");
});

test("stopping an access sets the consent to CANC and ends its tokens", async () => {
  const browser = await logIn("c2");
  const page = await browser.get("/bank/connections/aac-1");
  assert.match(page.body, /Your account balance/);
  const done = await browser.post("/bank/connections/aac-1", { decision: "stop" });
  assert.equal(done.headers.location, "/bank?done=stopped");
  const row = await first<{ status: string }>(
    database,
    sql`select status from consent where consent_id = 'aac-1'`,
  );
  assert.equal(row?.status, "CANC");
  assert.match((await browser.get("/bank")).body, /Stopped by you/);
});

test("another customer's connection is not found", async () => {
  const browser = await logIn("c1");
  assert.equal((await browser.get("/bank/connections/aac-1")).statusCode, 404);
});

test("a form without its token has no effect", async () => {
  const browser = await logIn("c2");
  const refused = await browser.post("/bank/connections/aac-1", { csrf: "x", decision: "stop" });
  assert.equal(refused.statusCode, 403);
});

test("a cookie that the bank did not set does not open a session", async () => {
  const browser = await logIn("c2");
  const token = browser.cookies.get(sessionCookie) ?? "";
  const changed = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
  for (const value of [changed, "", "new.x.y", "null"]) {
    const headers = { cookie: `${sessionCookie}=${value}` };
    const response = await app.inject({ url: "/bank", headers });
    assert.equal(response.headers.location, "/bank/login");
  }
});

test("after logging out, a copy of the cookie does not open the session", async () => {
  const browser = await logIn("c2");
  await browser.get("/bank");
  const copy = { cookie: `${sessionCookie}=${browser.cookies.get(sessionCookie)}` };
  assert.equal((await app.inject({ url: "/bank", headers: copy })).statusCode, 200);
  await browser.post("/bank/logout", {});
  const after = await app.inject({ url: "/bank", headers: copy });
  assert.equal(after.headers.location, "/bank/login");
});

test("the session has a new token after each factor", async () => {
  const browser = browse();
  const tokens = [];
  await browser.get("/bank/login");
  tokens.push(browser.cookies.get(sessionCookie));
  await browser.post("/bank/login", { decision: "continue", login: "c2", password: "right" });
  tokens.push(browser.cookies.get(sessionCookie));
  await browser.get("/bank/login");
  await browser.post("/bank/login", { decision: "continue", code: "123456" });
  tokens.push(browser.cookies.get(sessionCookie));
  assert.equal(new Set(tokens).size, 3);
  const old = { cookie: `${sessionCookie}=${tokens[1]}` };
  assert.equal((await app.inject({ url: "/bank", headers: old })).headers.location, "/bank/login");
});

test("with TLS the session's cookie is Secure, HttpOnly and limited to this host", async () => {
  const { headers } = await app.inject({ url: "/bank/login" });
  assert.match(
    String(headers["set-cookie"]),
    /^__Host-aldgate-bank=[^;]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict; Secure$/,
  );
});

test("expired sessions are deleted", async () => {
  await logIn("c2");
  now = now.add({ minutes: 6 });
  await purgeSessions(database, now);
  const left = await database.query(sql`select session_hash from own_session`);
  assert.deepEqual(left, []);
});

test("a session expires after five minutes of inactivity, by the bank's clock", async () => {
  const browser = await logIn("c2");
  now = now.add({ seconds: 299 });
  assert.equal((await browser.get("/bank")).statusCode, 200);
  now = now.add({ seconds: 301 });
  assert.equal((await browser.get("/bank")).headers.location, "/bank/login");
});

test("five wrong passwords cause a wait, which ends by the bank's clock", async () => {
  const browser = browse();
  await browser.get("/bank/login");
  const attempt = (password: string) =>
    browser.post("/bank/login", { decision: "continue", login: "c1", password });
  for (let count = 0; count < 5; count += 1) {
    assert.equal((await attempt("wrong")).statusCode, 200);
  }
  assert.equal((await attempt("right")).statusCode, 429);
  now = now.add({ seconds: 901 });
  await browser.get("/bank/login");
  assert.equal((await attempt("right")).headers.location, "/bank/login");
});
