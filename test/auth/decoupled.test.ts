import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { askedAllowed } from "#src/auth/login/methods/method.ts";
import { type ChallengeSubject, subjectHash } from "#src/bank/challenge.ts";
import type { Bank } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import { momentText } from "#src/pages/wording.ts";
import { readAuthorisations } from "#test/consents/stored-rows.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, openJourneys } from "./journeys.ts";
import { type PaperApp, paperApp } from "./paper-app.ts";
import { paperBank } from "./paper-bank.ts";

type AppCalls = PaperApp["calls"];

// A customer who confirms in the bank's app, while our page waits.

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  bed = await openAuthBed({ inApp: true });
  journeys = await openJourneys(bed);
});
after(() => bed?.close());

const toApp = async (kind: "account-access" | "domestic-payment" = "domestic-payment") => {
  const opened = await journeys.visit(kind);
  await opened.visitor.login("anna");
  assert.ok(opened.visitor.isInApp, opened.visitor.shown.body);
  return opened;
};

test("CB-02: the page names the app, what it shows, the digits and the end, and can be left", async () => {
  const { visitor } = await toApp();
  const { body } = visitor.shown;
  for (const text of [
    "Open the Aldgate Bank app",
    "£10.00",
    "Acme Ltd",
    ">47<",
    "You have until",
    `Answer there by ${momentText(bed.clock.now().add({ minutes: 5 }), bed.clock.now())}.`,
  ]) {
    assert.ok(body.includes(text), `${text} in ${body}`);
  }
  assert.match(body, /value="cancel"/);
  assert.match(body, /Use a code instead/);
  assert.match(body, /<svg class="qr" role="img"/);
});

test("CB-03: the page loads itself again without a script, until the customer stops that", async () => {
  const { visitor } = await toApp();
  assert.equal(visitor.shown.headers.get("refresh"), "5");
  assert.doesNotMatch(visitor.shown.body, /<script|http-equiv="refresh"/);
  const [, stop = ""] = /<a href="([^"]+)">Stop checking/.exec(visitor.shown.body) ?? [];
  await visitor.open(new URL(stop, bed.publicUrl).href);
  assert.equal(visitor.shown.headers.get("refresh"), null);
  bed.answerInApp("approved");
  await visitor.submit({ decision: visitor.go });
  assert.equal(visitor.step, "accounts");
});

test("CB-03, CB-14: pages that wait ask the core every two seconds at most", async () => {
  const { visitor } = await toApp();
  const asked = () => bed.inApp.asked.length;
  const before = asked();
  await visitor.open(visitor.shown.url);
  await visitor.open(visitor.shown.url);
  assert.equal(asked(), before);
  bed.advance({ seconds: 2 });
  await visitor.open(visitor.shown.url);
  assert.equal(asked(), before + 1);
});

test("CB-12: the TPP and the evidence have the methods that were really used", async () => {
  const begunAt = bed.clock.now();
  const { visitor, consentId } = await toApp();
  await visitor.factor();
  await visitor.submit({ account: "101", decision: "continue" });
  if (visitor.canApprove) await visitor.approve();
  const answer = await answerOf(visitor);
  const claims = await journeys.tpp.verifyToken(present(answer.id_token, "the id_token"));
  assert.equal(claims.acr, "urn:openbanking:psd2:sca");
  const [given] = await readAuthorisations(bed.database, consentId);
  assert.deepEqual(given?.amr, ["pwd", "hwk", "fpt", "mfa"]);
  assert.equal(given?.method, "decoupled");
  const [first] = given?.showings ?? [];
  assert.equal((first?.shown as { amount?: string } | undefined)?.amount, "£10.00");
  assert.equal(given?.customerId, "cust-anna");
  assert.equal(subjectHash(first?.shown as ChallengeSubject), first?.shownHash);
  const answeredAt = present(given?.answeredAt, "when the app answered");
  assert.ok(Temporal.Instant.compare(answeredAt, begunAt) >= 0, String(answeredAt));
});

test("after an expired request, the page waits for the customer, who can ask for another one", async () => {
  const { visitor } = await toApp();
  bed.answerInApp("expired");
  await visitor.open(visitor.shown.url);
  assert.equal(visitor.shown.headers.get("refresh"), null);
  assert.match(visitor.shown.body, /ended before you answered it/);
  assert.doesNotMatch(visitor.shown.body, /We have sent this to the app|Open the .* app</);
  await visitor.submit({ decision: "renew" });
  assert.match(visitor.shown.body, /We have sent this to your app again/);
  await visitor.factor();
  assert.equal(visitor.step, "accounts");
});

test("CB-08: an approval in time counts, although the page asks for it after the end of the request", async () => {
  const { visitor } = await toApp();
  bed.advance({ minutes: 4, seconds: 50 });
  bed.answerInApp("approved");
  bed.advance({ minutes: 1 });
  await visitor.open(visitor.shown.url);
  assert.equal(visitor.step, "accounts", visitor.shown.body);
});

test("CB-08: an approval after the end of the request does not count, and the page says so", async () => {
  const { visitor, consentId } = await toApp();
  bed.advance({ minutes: 5, seconds: 1 });
  bed.answerInApp("approved");
  await visitor.open(visitor.shown.url);
  assert.match(visitor.shown.body, /An answer that comes later does\s+not count/);
  assert.equal(visitor.shown.headers.get("refresh"), null);
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  await visitor.submit({ decision: "renew" });
  assert.match(visitor.shown.body, /We have sent this to your app again/);
  await visitor.factor();
  assert.equal(visitor.step, "accounts", visitor.shown.body);
});

test("CB-07: a request that nobody answers ends, and the core is not asked about it again", async () => {
  const { visitor } = await toApp();
  bed.advance({ minutes: 5, seconds: 5 });
  await visitor.open(visitor.shown.url);
  assert.equal(visitor.shown.headers.get("refresh"), "5", "the core's clock may be behind");
  bed.advance({ seconds: 15 });
  await visitor.open(visitor.shown.url);
  assert.match(visitor.shown.body, /ended before you answered it/);
  const asked = bed.inApp.asked.length;
  bed.advance({ seconds: 5 });
  await visitor.open(visitor.shown.url);
  assert.equal(bed.inApp.asked.length, asked);
});

test("CB-06: a refusal after the end of the request is still a refusal", async () => {
  const { visitor, consentId } = await toApp();
  bed.advance({ minutes: 5, seconds: 1 });
  bed.answerInApp("declined");
  await visitor.open(visitor.shown.url);
  assert.equal(visitor.step, "returning");
  assert.equal((await bed.consent(consentId)).status, "RJCT");
  assert.equal((await answerOf(visitor)).error, "access_denied");
});

for (const answer of ["approved", "declined"] as const) {
  test(`after the request was sent again, an older one that is ${answer} has no effect`, async () => {
    const { visitor, consentId } = await toApp();
    const older = bed.inApp.sent.at(-1);
    await visitor.submit({ decision: "renew" });
    assert.match(visitor.shown.body, /Use the newest request there: an older one has no effect/);
    bed.inApp.answer(answer, older);
    bed.advance({ seconds: 2 });
    await visitor.open(visitor.shown.url);
    assert.ok(visitor.isInApp, visitor.shown.body);
    assert.equal((await bed.consent(consentId)).status, "AWAU");
    await visitor.factor();
    assert.equal(visitor.step, "accounts");
  });
}

test("a customer can be asked in the app four times in one journey", async () => {
  const { visitor } = await toApp();
  for (let turn = 0; turn < 3; turn += 1) {
    await visitor.submit({ decision: "renew" });
    assert.match(visitor.shown.body, /We have sent this to your app again/);
  }
  const offersMore = () => /value="(renew|code)"/.test(visitor.shown.body);
  assert.equal(offersMore(), false);
  assert.match(visitor.shown.body, /as many requests in the app as we can send for this\. Answer/);
  await visitor.submit({ decision: "renew" });
  assert.match(visitor.shown.body, /We cannot send this to your app again/);
  bed.answerInApp("expired");
  await visitor.open(visitor.shown.url);
  assert.match(visitor.shown.body, /ended before you answered it/);
  assert.match(visitor.shown.body, /as many requests in the app as we can send for this\. Cancel/);
  assert.equal(offersMore(), false);
  assert.match(visitor.shown.body, /value="cancel"/);
});

test("a customer who cannot use the app gets a code, and the app's answer counts no more", async () => {
  const { visitor } = await toApp();
  await visitor.submit({ decision: "code" });
  assert.match(visitor.shown.body, /We have sent you a code/);
  assert.equal(visitor.isInApp, false);
  bed.answerInApp("approved");
  await visitor.open(visitor.shown.url);
  assert.equal(visitor.step, "factor");
  await visitor.factor();
  assert.equal(visitor.step, "accounts");
});

test("an answer after the end of the journey changes nothing", async () => {
  const { visitor, consentId } = await toApp();
  const { url } = visitor.shown;
  await visitor.submit({ decision: "cancel" });
  bed.answerInApp("approved");
  await visitor.open(url);
  assert.equal((await bed.consent(consentId)).status, "RJCT");
});

test("an approval that two windows see at once moves the journey on once", async () => {
  const { visitor } = await toApp();
  const other = visitor.copy();
  bed.answerInApp("approved");
  await Promise.all([visitor.open(visitor.shown.url), other.open(other.shown.url)]);
  await visitor.open(visitor.shown.url);
  assert.equal(visitor.step, "accounts");
});

test("CB-11: the time after authentication begins when the app answered", async () => {
  const { visitor } = await toApp();
  bed.answerInApp("approved");
  bed.advance({ minutes: 4, seconds: 30 });
  await visitor.open(visitor.shown.url);
  assert.equal(visitor.step, "accounts");
  bed.advance({ minutes: 1 });
  await visitor.open(visitor.shown.url);
  assert.match(visitor.shown.body, /Your time has run out/);
});

test("CB-15: while the core cannot be reached, the page stays and says so", async () => {
  const app = paperApp(() => place.clock.now());
  const bank = {
    ...app.calls,
    async challengeResult(): Promise<never> {
      throw new Unavailable("core", "the core is out of order", {});
    },
  };
  const place = await openAuthBed({ bank });
  try {
    const { visitor } = await (await openJourneys(place)).visit("domestic-payment");
    await visitor.login("anna");
    assert.match(visitor.shown.body, /We cannot ask your app at the moment/);
    assert.equal(visitor.shown.status, 200);
    assert.equal(visitor.shown.headers.get("refresh"), "5");
  } finally {
    await place.close();
  }
});

test("a form cannot ask for a code that the core has not offered", async () => {
  const app = paperApp(() => place.clock.now());
  const wanted: unknown[] = [];
  const bank: AppCalls = {
    ...app.calls,
    async challenge(customerId, subject, request) {
      wanted.push(request.method);
      const made = await app.calls.challenge(customerId, subject, request);
      return { ...made, app: { ...made.app, hasCode: false } };
    },
  };
  const place = await openAuthBed({ bank });
  try {
    const { visitor } = await (await openJourneys(place)).visit("domestic-payment");
    await visitor.login("anna");
    assert.doesNotMatch(visitor.shown.body, /Use a code instead/);
    await visitor.submit({ decision: "code" });
    assert.ok(visitor.isInApp, visitor.shown.body);
    assert.deepEqual(wanted, [undefined, undefined]);
  } finally {
    await place.close();
  }
});

/** A core that cannot list the accounts while it is down. */
const listingUnless = (isDown: () => boolean): Pick<Bank, "listAccounts"> => ({
  async listAccounts(...given) {
    if (isDown()) throw new Unavailable("core", "the core is out of order", {});
    return paperBank.listAccounts(...given);
  },
});

test("CB-15: an approval that an outage of the core has interrupted counts when the page is loaded again", async () => {
  const app = paperApp(() => place.clock.now());
  let isDown = false;
  const bank = { ...app.calls, ...listingUnless(() => isDown) };
  const place = await openAuthBed({ bank });
  try {
    const { visitor } = await (await openJourneys(place)).visit("domestic-payment");
    await visitor.login("anna");
    const { url } = visitor.shown;
    const form = { ...visitor.hidden, decision: "renew" };
    app.answer("approved");
    place.advance({ seconds: 2 });
    isDown = true;
    await visitor.open(url);
    assert.equal(visitor.shown.status, 503);
    isDown = false;
    const asked = app.asked.length;
    await visitor.open(url, form);
    assert.equal(visitor.step, "accounts", visitor.shown.body);
    assert.equal(app.asked.length, asked);
  } finally {
    await place.close();
  }
});

test("a customer is not asked in the app, and no request counts, while the core cannot list the accounts", async () => {
  const app = paperApp(() => place.clock.now());
  let isDown = true;
  const bank = { ...app.calls, ...listingUnless(() => isDown) };
  const place = await openAuthBed({ bank });
  try {
    // the accounts are read before the second factor if the TPP has named one
    const data = { debtor: "20201012345101" };
    const { visitor } = await (await openJourneys(place)).visit("domestic-payment", data);
    const page = visitor.shown;
    for (let turn = 0; turn < askedAllowed; turn += 1) {
      visitor.shown = page;
      await visitor.login("anna");
      assert.equal(visitor.shown.status, 503);
      assert.deepEqual(app.sent, []);
    }
    isDown = false;
    visitor.shown = page;
    await visitor.login("anna");
    assert.ok(visitor.isInApp, visitor.shown.body);
    assert.equal(app.sent.length, 1);
  } finally {
    await place.close();
  }
});

test("a link to the app must be https", async () => {
  const app = paperApp(() => place.clock.now());
  let link = "http://app.bank.example/1";
  const bank: AppCalls = {
    ...app.calls,
    async challenge(...given) {
      const made = await app.calls.challenge(...given);
      return { ...made, app: { ...made.app, appLink: link } };
    },
  };
  const place = await openAuthBed({ bank });
  try {
    const { visitor } = await (await openJourneys(place)).visit("domestic-payment");
    await visitor.login("anna");
    assert.equal(visitor.shown.status, 503);
    assert.ok(place.logged.some((line) => line.includes("link to its app is not https")));
    link = "https://app.bank.example/1";
    await visitor.open(visitor.shown.url);
    await visitor.login("anna");
    assert.ok(visitor.isInApp, visitor.shown.body);
  } finally {
    await place.close();
  }
});

test("a core that makes requests in the app, but has no answers to them, is an outage", async () => {
  const app = paperApp(() => place.clock.now());
  const { challenge, verify } = app.calls;
  const place = await openAuthBed({ bank: { challenge, verify } });
  try {
    const { visitor } = await (await openJourneys(place)).visit("domestic-payment");
    await visitor.login("anna");
    assert.equal(visitor.shown.status, 503);
    assert.match(visitor.shown.body, /We cannot do this at the moment/);
    assert.ok(place.logged.some((line) => line.includes("has no challengeResult")));
  } finally {
    await place.close();
  }
});
