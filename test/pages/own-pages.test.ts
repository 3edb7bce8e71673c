import assert from "node:assert/strict";
import { test } from "node:test";
import { loginChallengeOf } from "#test/auth/stored-rows.ts";
import { consentStatus } from "#test/consents/stored-rows.ts";
import { readOrder, setPaymentAmount } from "#test/payments/stored-orders.ts";
import { confirm, said, useOwnPages } from "./own-bed.ts";

const bed = useOwnPages();

const asksForCode = /name="code"/;

/** The page of a lock says when it ends, and asks for nothing that would not be checked. */
function assertLocked({ statusCode, body }: { statusCode: number; body: string }): void {
  assert.equal(statusCode, 429);
  assert.match(body, /<h1>Your security codes are locked until \d\d:\d\d/);
  assert.match(body, /There were too many attempts\. Try again after \d\d:\d\d/);
  assert.doesNotMatch(body, asksForCode);
  assert.doesNotMatch(body, /value="renew"|Check it and try again|You have until/);
}

test("the bank's own pages show nothing before both factors have succeeded", async () => {
  const browser = bed.browse();
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
  const enter = (code: string) => browser.post("/bank/login", { decision: "continue", code });
  for (let turn = 2; turn < 5; turn += 1) assert.match((await enter("000000")).body, asksForCode);
  const fifth = await enter("000000");
  assertLocked(fifth);
  assert.match(fifth.body, /<a class="button" href="\/bank\/login">Back to the login</);
  // the way back leads to a new login, which the lock stops too
  assert.match((await browser.get("/bank/login")).body, /name="password"/);
  bed.advance({ minutes: 16 });
});

test("the page of an act asks for nothing after the fifth wrong code, if a new code is wanted or it is opened again", async () => {
  const browser = await bed.logIn("c2");
  await browser.get("/bank/approvals/pdp-3");
  const form = await browser.post("/bank/approvals/pdp-3", { decision: "approve" });
  const url = String(form.headers.location);
  await browser.get(url);
  const enter = () => browser.post(url, { decision: "continue", code: "000000" });
  for (let turn = 1; turn < 5; turn += 1) assert.match((await enter()).body, asksForCode);
  for (const page of [
    await enter(),
    await browser.post(url, { decision: "continue", code: "123456" }),
    await browser.post(url, { decision: "renew" }),
    await browser.get(url),
  ]) {
    assertLocked(page);
    assert.match(page.body, /Nothing has been done\./);
    assert.match(page.body, /<a href="\/bank">Back to your accounts</);
  }
  bed.advance({ minutes: 16 });
});

test("the overview shows accounts, payments to approve, upcoming payments and connections", async () => {
  const browser = await bed.logIn("c2");
  const page = await browser.get("/bank");
  assert.equal(page.statusCode, 200);
  assert.match(String(page.headers["content-security-policy"]), /default-src 'none'/);
  for (const text of [
    '<span class="whole">20-20-10</span> 10981789',
    "£5,000.00",
    "£1,249.50",
    "Acme &lt;Ltd&gt;",
  ]) {
    assert.ok(page.body.includes(text), text);
  }
  assert.match(page.body, /1 December 2026/);
  assert.match(page.body, /Pocketwise<\/b> <span class="status on">Active/);
  assert.match(page.body, /<small>Access to information about your accounts<br>Trading</);
  assert.match(page.body, /Waiting until 24 November 2026 at 09:00/);
});

test("a payment that the customer has signed is not listed for approval again", async () => {
  const browser = await bed.logIn("c1");
  assert.doesNotMatch((await browser.get("/bank")).body, /Waiting for your approval/);
});

test("P-169: the second signatory approves with a code, and the payment engine starts immediately", async () => {
  const browser = await bed.logIn("c2");
  const page = await browser.get("/bank/approvals/pdp-1");
  assert.match(page.body, /Ann North<\/b> has approved this payment/);
  assert.match(page.body, /Approve by<\/dt><dd>24 November 2026 at 09:00/);
  const form = await browser.post("/bank/approvals/pdp-1", { decision: "approve" });
  const bad = await confirm(browser, form, "000000");
  assert.match(bad.page, /£1,249\.50/);
  assert.match(bad.page, /Acme &lt;Ltd&gt;/);
  assert.match(bad.answer.body, /That code is not right/);
  assert.equal(bed.woken(), 0);
  const { answer, url } = await confirm(browser, form);
  assert.match(
    await said(browser, answer),
    /You have approved £1,249\.50 to Acme &lt;Ltd&gt; from Trading \(20-20-10 10981789\)\. No/,
  );
  assert.equal(bed.woken(), 1);
  const subject = bed.asked.findLast(({ act }) => act === "signature");
  assert.ok(subject && "amount" in subject && subject.amount === "£1,249.50");
  const again = await browser.post(url, { decision: "continue", code: "123456" });
  assert.equal(again.headers.location, "/bank");
  const twice = await browser.post("/bank/approvals/pdp-1", { decision: "approve" });
  assert.equal(
    await said(browser, twice),
    "You have already approved this payment. No more approvals are needed.",
  );
  assert.equal(bed.woken(), 1);
});

test("the code page of an act says where the code was sent, and a new code replaces the one before", async () => {
  const browser = await bed.logIn("c2");
  await browser.get("/bank/approvals/pdp-3");
  const form = await browser.post("/bank/approvals/pdp-3", { decision: "approve" });
  const first = String(form.headers.location);
  const { body } = await browser.get(first);
  assert.match(body, /enter the code that we have\s+sent to your mobile ending 417\./);
  const renewed = await browser.post(first, { decision: "renew" });
  const second = String(renewed.headers.location);
  assert.notEqual(second, first);
  assert.equal(
    await said(browser, renewed),
    "We have sent you a new code. The one before it no longer works.",
  );
  const old = await browser.post(first, { decision: "continue", code: "123456" });
  assert.match(old.body, /That code can no longer be used/);
  for (let turn = 0, url = second; turn < 3; turn += 1) {
    const answer = await browser.post(url, { decision: "renew" });
    url = String(answer.headers.location);
    const text = turn < 2 ? /^We have sent you a new code/ : /^We cannot send more codes/;
    assert.match(await said(browser, answer), text);
  }
});

test("a code does not approve a payment that has changed since", async () => {
  const browser = await bed.logIn("c2");
  await browser.get("/bank/approvals/pdp-3");
  const form = await browser.post("/bank/approvals/pdp-3", { decision: "approve" });
  await setPaymentAmount(bed.database(), "pdp-3", 999_999n);
  const { page, answer } = await confirm(browser, form);
  assert.match(page, /£1,249\.50/);
  assert.equal(
    await said(browser, answer),
    "This has changed since you opened it. Check it again before you decide.",
  );
  const order = await readOrder(bed.database(), "pdp-3");
  assert.deepEqual(order, { status: "PATC", signedBy: ["c1"] });
});

test("a challenge cannot be answered by another customer or used for another act", async () => {
  const [ben, ann] = [await bed.logIn("c2"), await bed.logIn("c1")];
  await ben.get("/bank");
  await ben.get("/bank/approvals/pdp-3");
  const form = await ben.post("/bank/approvals/pdp-3", { decision: "approve" });
  const url = String(form.headers.location);
  assert.equal((await ann.get(url)).statusCode, 404);
  await ann.get("/bank");
  assert.equal((await ann.post(url, { code: "123456" })).statusCode, 404);
  const login = await loginChallengeOf(bed.database(), "c2");
  assert.equal((await ben.get(`/bank/confirm/${login}`)).statusCode, 404);
  assert.equal((await ben.get("/bank/confirm/sca-unknown")).statusCode, 404);
});

test("a payment that the second signatory declines is rejected", async () => {
  const browser = await bed.logIn("c2");
  await browser.get("/bank/approvals/pdp-2");
  const asks = await browser.post("/bank/approvals/pdp-2", { decision: "decline" });
  const url = String(asks.headers.location);
  assert.match((await browser.get(url)).body, /<h1>Decline this payment\?.*Acme/s);
  const kept = await browser.post(url, { decision: "keep" });
  assert.equal(kept.headers.location, "/bank/approvals/pdp-2");
  assert.equal((await readOrder(bed.database(), "pdp-2"))?.status, "PATC");
  const done = await browser.post(url, { decision: "stop" });
  assert.match(
    await said(browser, done),
    /^You have declined £1,249\.50 to Acme .* Nothing will be paid\.$/,
  );
  assert.equal((await readOrder(bed.database(), "pdp-2"))?.status, "RJCT");
  const again = await browser.get("/bank/approvals/pdp-2");
  assert.equal(await said(browser, again), "This payment has been declined. Nothing was paid.");
});

test("an upcoming payment is cancelled on its own page", async () => {
  const browser = await bed.logIn("c2");
  assert.match((await browser.get("/bank/upcoming/sch-1")).body, /<h1>Cancel a payment</);
  const kept = await browser.post("/bank/upcoming/sch-1", { decision: "keep" });
  assert.equal(kept.headers.location, "/bank");
  const form = await browser.post("/bank/upcoming/sch-1", { decision: "stop" });
  const { page, answer } = await confirm(browser, form);
  assert.match(page, /1 December 2026/);
  assert.match(page, /<h1>Cancel this payment\?/);
  assert.match(page, /value="continue">Yes, cancel it</);
  assert.match(page, /value="cancel" formnovalidate>Keep it</);
  assert.match(await said(browser, answer), /^The payment of £1,249\.50 to Acme .* cancelled\.$/);
  // the same page may still be open on another device
  const again = await browser.get("/bank/upcoming/sch-1");
  assert.equal(await said(browser, again), "This payment has already been cancelled.");
});

test("stopping an access sets the consent to CANC and ends its tokens", async () => {
  const browser = await bed.logIn("c2");
  const page = await browser.get("/bank/connections/aac-1");
  assert.match(page.body, /Your account balance/);
  const done = await browser.post("/bank/connections/aac-1", { decision: "stop" });
  assert.equal(await said(browser, done), "This access of Pocketwise has been stopped.");
  const row = await consentStatus(bed.database(), "aac-1");
  assert.equal(row, "CANC");
  assert.match((await browser.get("/bank")).body, /Stopped by you/);
  const { body } = await browser.get("/bank/connections/aac-1");
  assert.match(body, /<dt>Ended<\/dt><dd>On /);
  assert.doesNotMatch(body, /<dt>Ends</);
});

test("another customer's connection is not found", async () => {
  const browser = await bed.logIn("c1");
  assert.equal((await browser.get("/bank/connections/aac-1")).statusCode, 404);
});

test("a form without its token has no effect", async () => {
  const browser = await bed.logIn("c2");
  const refused = await browser.post("/bank/connections/aac-1", { csrf: "x", decision: "stop" });
  assert.equal(refused.statusCode, 403);
});
