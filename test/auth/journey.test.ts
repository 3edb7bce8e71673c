import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { readAuthorisations, setConsent } from "#test/consents/stored-rows.ts";
import { type AuthBed, fragmentOf, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, openJourneys, toApproval } from "./journeys.ts";
import { paperBank, paperCustomers } from "./paper-bank.ts";
import { Visitor } from "./visitor.ts";

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  bed = await openAuthBed();
  journeys = await openJourneys(bed);
});
after(() => bed.close());

test("every page of the journey forbids scripts, frames, caching and referrers", async () => {
  const { visitor } = await journeys.visit("account-access", { review: true });
  const pages = [visitor.shown];
  pages.push(await visitor.login("anna"), await visitor.factor());
  pages.push(await visitor.submit({ account: "101", decision: "continue" }));
  pages.push(await visitor.submit({ decision: "approve" }));
  assert.equal(visitor.step, "returning");
  for (const { headers } of pages) {
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.match(headers.get("x-fapi-interaction-id") ?? "", /^[0-9a-f-]{36}$/);
    const policy = headers.get("content-security-policy") ?? "";
    for (const part of [
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]) {
      assert.ok(policy.includes(part), part);
    }
  }
});

test("the journey's cookies are valid for the journey only, and no session is kept", async () => {
  const consentId = await bed.lodge(journeys.tpp, "account-access");
  const url = await journeys.tpp.authorizationUrl({ scope: "accounts", consentId });
  const answer = await fetch(url, { redirect: "manual" });
  const cookies = answer.headers.getSetCookie();
  assert.ok(cookies.length > 0);
  for (const cookie of cookies) {
    assert.match(cookie, /httponly/i);
    assert.match(cookie, /samesite=lax/i);
    assert.match(cookie, /path=\/(journey|auth)\//);
  }
});

test("P-104: an approval authorises the consent for the chosen accounts", async () => {
  const { consentId, visitor } = await journeys.visit("account-access");
  await toApproval(visitor);
  await visitor.approve();
  const answer = await answerOf(visitor);
  assert.ok(answer.code);
  const { status, accounts, customer } = await bed.consent(consentId);
  assert.deepEqual([status, accounts, customer], ["AUTH", ["101"], "cust-anna"]);
});

test("if the TPP named the debtor account, the code approves the payment", async () => {
  const { consentId, visitor } = await journeys.visit("domestic-payment", {
    debtor: "20201012345101",
  });
  await visitor.login("anna");
  assert.deepEqual([visitor.step, visitor.go], ["factor", "approve"]);
  await visitor.factor();
  assert.ok((await answerOf(visitor)).code);
  assert.deepEqual((await bed.consent(consentId)).accounts, ["101"]);
});

test("a wrong password and an unknown user get the same message, and the login typed is kept", async () => {
  const { visitor } = await journeys.visit("account-access");
  await visitor.submit({ login: "anna", password: "wrong", decision: "continue" });
  const notice = (body: string) => /id="problem"><p>([^<]+)/.exec(body)?.[1];
  const wrong = notice(visitor.shown.body);
  const other = await journeys.visit("account-access");
  await other.visitor.submit({ login: "nobody", password: "wrong", decision: "continue" });
  assert.ok(wrong);
  assert.equal(notice(other.visitor.shown.body), wrong);
  assert.match(other.visitor.shown.body, /value="nobody"/);
});

test("after five wrong passwords the right password is refused for 15 minutes", async () => {
  const { visitor } = await journeys.visit("account-access");
  for (let turn = 0; turn < 5; turn++) {
    assert.equal(visitor.step, "login");
    await visitor.submit({ login: "joint", password: "wrong", decision: "continue" });
  }
  assert.equal((await answerOf(visitor)).error, "access_denied");
  const locked = await journeys.visit("account-access");
  await locked.visitor.login(" JOINT ");
  await locked.visitor.login("joint");
  assert.equal(locked.visitor.step, "login");
  bed.advance({ minutes: 31 });
  const later = await journeys.visit("account-access");
  await later.visitor.login("joint");
  assert.equal(later.visitor.step, "factor");
});

test("an account of another customer cannot be added to the form", async () => {
  const { visitor } = await journeys.visit("account-access");
  await visitor.login("anna");
  await visitor.factor();
  await visitor.approve("201");
  assert.equal(visitor.step, "accounts");
  const payment = await journeys.visit("domestic-payment");
  await payment.visitor.login("anna");
  await payment.visitor.factor();
  await payment.visitor.approve("102");
  assert.equal(payment.visitor.step, "accounts");
});

test("an approval that is sent too early changes nothing", async () => {
  const { consentId, visitor } = await journeys.visit("account-access");
  await visitor.submit({ decision: "approve" });
  assert.equal(visitor.step, "login");
  await visitor.login("anna");
  await visitor.submit({ decision: "approve" });
  assert.equal(visitor.step, "factor");
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  const longer = await journeys.visit("account-access", { review: true });
  await longer.visitor.login("anna");
  await longer.visitor.factor();
  await longer.visitor.submit({ account: "101", decision: "approve" });
  assert.equal(longer.visitor.step, "accounts");
  assert.equal((await bed.consent(longer.consentId)).status, "AWAU");
});

test('a form that says "continue" never approves', async () => {
  const { consentId, visitor } = await journeys.visit("account-access");
  await visitor.login("anna");
  await visitor.factor();
  await visitor.submit({ account: "101", decision: "continue" });
  assert.equal(visitor.step, "accounts");
  const named = await journeys.visit("domestic-payment", { debtor: "20201012345101" });
  await named.visitor.login("anna");
  await named.visitor.submit({ code: paperCustomers[0]?.code ?? "", decision: "continue" });
  assert.equal(named.visitor.step, "factor");
  for (const id of [consentId, named.consentId]) {
    assert.equal((await bed.consent(id)).status, "AWAU");
  }
});

test("a form without its journey's token is refused", async () => {
  const { visitor } = await journeys.visit("account-access");
  const other = await journeys.visit("account-access");
  for (const csrf of ["", "x", other.visitor.csrf]) {
    const page = visitor.shown;
    await visitor.open(page.url, { ...visitor.hidden, csrf, decision: "cancel" });
    assert.equal(visitor.shown.status, 403);
    visitor.shown = page;
  }
  await visitor.login("anna");
  assert.equal(visitor.step, "factor");
});

test("a journey works only in the browser that began it", async () => {
  const { visitor } = await journeys.visit("account-access");
  const stranger = new Visitor(bed);
  await stranger.open(visitor.shown.url);
  assert.equal(stranger.shown.status, 400);
  assert.equal(stranger.step, "page");
});

test("a form sent twice, or from an earlier page, shows the journey's current step", async () => {
  const { consentId, visitor } = await journeys.visit("account-access", { review: true });
  const login = visitor.shown;
  await visitor.login("anna");
  visitor.shown = login;
  await visitor.login("anna");
  assert.equal(visitor.step, "factor");
  const factor = visitor.shown;
  await visitor.factor();
  visitor.shown = factor;
  await visitor.factor();
  await visitor.submit({ account: "101", decision: "continue" });
  const review = visitor.shown;
  await visitor.submit({ decision: "approve" });
  visitor.shown = review;
  await visitor.submit({ decision: "cancel" });
  assert.equal((await bed.consent(consentId)).status, "AUTH");
  assert.ok((await answerOf(visitor)).code);
});

test("concurrent approvals all lead back to the TPP, and one grant is made", async () => {
  const { consentId, visitor } = await journeys.visit("account-access");
  await toApproval(visitor);
  const { url } = visitor.shown;
  const fields = { ...visitor.hidden, account: "101", decision: "approve" };
  const shown = await Promise.all([1, 2, 3].map(() => visitor.open(url, fields)));
  for (const { body } of shown) assert.match(body, /http-equiv="refresh"/);
  const { grant } = await bed.consent(consentId);
  const grants = (await readAuthorisations(bed.database, consentId)).map(({ grantId }) => grantId);
  assert.deepEqual(grants, [grant]);
  assert.ok((await answerOf(visitor)).code);
});

test("of several concurrent returns to the TPP, exactly one carries a code", async () => {
  const { visitor } = await journeys.visit("account-access");
  await toApproval(visitor);
  await visitor.approve();
  const ways = await Promise.all([1, 2, 3].map(() => visitor.copy().goBack()));
  const codes = ways.map((url) => (url.includes("#") ? fragmentOf(url).code : undefined));
  assert.equal(codes.filter((code) => code !== undefined).length, 1, ways.join("\n"));
});

test("a customer who returns after the response sees that it was sent, and is not redirected again", async () => {
  const { visitor } = await journeys.visit("account-access");
  const { url } = visitor.shown;
  await toApproval(visitor);
  await visitor.approve();
  await visitor.goBack();
  await visitor.open(url);
  assert.equal(visitor.step, "page");
  assert.match(visitor.shown.body, /approved/);
});

test("a reload shows the same step of the journey", async () => {
  const { visitor } = await journeys.visit("account-access");
  await visitor.login("anna");
  await visitor.open(visitor.shown.url);
  assert.equal(visitor.step, "factor");
});

test("a page that follows a redirect without loading the journey again is identical to its reload", async () => {
  const { visitor } = await journeys.visit("account-access");
  const steps: string[] = [];
  const arrivals = [() => visitor.shown, () => visitor.login("anna"), () => visitor.factor()];
  for (const arrive of arrivals) {
    const page = await arrive();
    steps.push(visitor.step);
    const reloaded = await visitor.open(page.url);
    assert.equal(reloaded.body, page.body);
  }
  assert.deepEqual(steps, ["login", "factor", "accounts"]);
});

test("a journey that has timed out ends with access_denied at the next visit", async () => {
  const { consentId, visitor } = await journeys.visit("account-access");
  await visitor.login("anna");
  bed.advance({ minutes: 16 });
  await visitor.open(visitor.shown.url);
  assert.equal((await answerOf(visitor)).error, "access_denied");
  const { status, reasons } = await bed.consent(consentId);
  assert.deepEqual([status, reasons[0]?.code], ["RJCT", "U036"]);
});

test("the sweep rejects the consent of an abandoned journey", async () => {
  const { consentId, visitor } = await journeys.visit("account-access");
  bed.advance({ minutes: 16 });
  await bed.auth.sweep();
  assert.equal((await bed.consent(consentId)).status, "RJCT");
  await visitor.open(visitor.shown.url);
  assert.equal((await answerOf(visitor)).error, "access_denied");
});

test("a customer who opens the link twice and continues in the other window keeps the consent", async () => {
  const { consentId, url } = await journeys.visit("account-access");
  bed.advance({ minutes: 10 });
  const second = new Visitor(bed);
  await second.open(url);
  bed.advance({ minutes: 6 });
  await bed.auth.sweep();
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  await toApproval(second);
  await second.approve();
  assert.ok((await answerOf(second)).code);
});

test("a code that is sent twice while the core is slow approves once, and is not refused as used", async () => {
  const slow = await openAuthBed({
    bank: {
      async listAccounts(customerId, wanted) {
        await setTimeout(200);
        return paperBank.listAccounts(customerId, wanted);
      },
    },
  });
  try {
    const data = { debtor: "20201012345101" };
    const opened = await (await openJourneys(slow)).visit("domestic-payment", data);
    const { consentId, visitor } = opened;
    await visitor.login("anna");
    const copies = [visitor.copy(), visitor.copy(), visitor.copy()];
    await Promise.all(copies.map((copy) => copy.approve()));
    for (const { shown, step } of copies) assert.equal(step, "returning", shown.body);
    assert.equal((await slow.consent(consentId)).status, "AUTH");
  } finally {
    await slow.close();
  }
});

test("SCA-RTS article 5(1)(d): a change of the amount invalidates the second factor", async () => {
  const debtor = "20201012345101";
  for (const [data, pages] of [
    [{}, ["factor"]],
    [{ debtor }, ["factor"]],
    [{}, ["factor", "accounts"]],
    [{ review: true }, ["factor", "accounts", "review"]],
  ] as const) {
    const { consentId, visitor } = await journeys.visit("domestic-payment", data);
    await visitor.login("anna");
    const forms = {
      factor: () => visitor.factor(),
      accounts: () => visitor.submit({ account: "101", decision: visitor.go }),
      review: () => visitor.approve(),
    };
    for (const page of pages.slice(0, -1)) await forms[page]();
    const last = pages.at(-1) ?? "factor";
    assert.equal(visitor.step, last);
    const body = JSON.stringify({ Data: { ...data, amount: "£999.00" } });
    await setConsent(bed.database, consentId, { body });
    await forms[last]();
    assert.equal((await answerOf(visitor)).error, "access_denied");
    assert.equal((await bed.consent(consentId)).status, "RJCT");
  }
});
