import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { type Journeys, openJourneys } from "./journeys.ts";
import { Visitor } from "./visitor.ts";

// What is the same for a customer who approves in the bank's app as anywhere else.

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  bed = await openAuthBed({ inApp: true });
  journeys = await openJourneys(bed);
});
after(() => bed?.close());

const toApp = async () => {
  const opened = await journeys.visit("domestic-payment");
  await opened.visitor.login("anna");
  assert.ok(opened.visitor.isInApp, opened.visitor.shown.body);
  return opened;
};

test("CB-01: a journey asks for the same factors as the bank's own pages", async () => {
  const own = new Visitor(bed);
  await own.open(`${bed.publicUrl}/bank/login`);
  const { visitor } = await journeys.visit("account-access");
  const factors: string[][] = [];
  for (const each of [own, visitor]) {
    const asked = [each.step];
    await each.login("anna");
    asked.push(`${each.step}${each.isInApp ? " in the app" : ""}`);
    await each.factor();
    factors.push(asked);
    assert.ok(!["login", "factor"].includes(each.step), each.shown.body);
  }
  assert.deepEqual(factors[0], ["login", "factor in the app"]);
  assert.deepEqual(factors[1], factors[0]);
});

test("CB-10: an approval in the app alone authorises nothing, and waits for the browser", async () => {
  const { visitor, consentId } = await toApp();
  bed.answerInApp("approved");
  await bed.auth.sweep();
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  bed.advance({ minutes: 4 });
  await bed.auth.sweep();
  await visitor.open(visitor.shown.url);
  assert.equal(visitor.step, "accounts", visitor.shown.body);
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  const gone = await toApp();
  bed.answerInApp("approved");
  bed.advance({ minutes: 16 });
  await bed.auth.sweep();
  const { status, reasons } = await bed.consent(gone.consentId);
  assert.deepEqual([status, reasons[0]?.code], ["RJCT", "U036"]);
});

test("CB-31: the page opens the app by a link on this phone, and by a QR code on another", async () => {
  const { visitor } = await toApp();
  const { body } = visitor.shown;
  assert.match(body, /<a href="https:\/\/app\.bank\.example\/1">open the app on this\s+\w+<\/a>/);
  assert.match(body, /aria-label="QR code that opens the request in the app"/);
});
