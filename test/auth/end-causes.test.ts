import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { closingOf, closings } from "#src/auth/journey/closings.ts";
import type { StatusReason } from "#src/consents/consent.ts";
import * as courses from "#src/consents/states.ts";
import { reasonName, statusReasons, stopReason } from "#src/consents/status-reasons.ts";
import { textsOf } from "#src/pages/journey-endings.ts";
import { closedTexts, lateTexts } from "#src/pages/journey-reasons.ts";
import { momentText } from "#src/pages/wording.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { type Journeys, openJourneys } from "./journeys.ts";

// Each reason of a consent's status has an ending of journeys, and words of its own. The causes
// themselves happen in test/journeys/end-causes.test.ts.

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  bed = await openAuthBed();
  journeys = await openJourneys(bed);
});
after(() => bed.close());

const names = Object.keys(statusReasons) as (keyof typeof statusReasons)[];

test("Aldgate's own reasons of consents are made in one place, and told apart", () => {
  for (const name of names) assert.equal(reasonName(statusReasons[name]), name);
  for (const course of Object.values(courses)) {
    if (typeof course !== "object" || !("stopping" in course)) continue;
    assert.equal(reasonName(stopReason("customer", course.stopping)), "stoppedByCustomer");
    assert.equal(reasonName(stopReason("bank", course.stopping)), "stoppedByBank");
  }
  assert.equal(reasonName({ code: "CUST", text: "The core says so." }), null);
  // these get their reasons from what was sent, or from the core
  const others = [
    "src/auth/journey/assess.ts",
    "src/payments/consent/journey-kinds.ts",
    "src/payments/files/file-operations.ts",
  ];
  const makers = globSync("src/{auth,accounts,channels,consents,funds}/**/*.ts").concat(
    globSync("src/payments/{consent,files,kinds}/**/*.ts"),
  );
  const found = makers.filter((path) =>
    /\bstatusReason\(|: StatusReason(\[\])? = [^;]*?code\b/.test(readFileSync(path, "utf8")),
  );
  const tables = ["src/consents/consent.ts", "src/consents/status-reasons.ts"];
  assert.deepEqual(found.sort(), [...others, ...tables].sort());
});

test("each reason has an ending, and each sentence a reason", () => {
  assert.deepEqual(closingOf([{ code: "AC04", text: "The core says so." }]), {
    outcome: "closed",
    reason: null,
  });
  const said = Object.values(closings).map(({ reason }) => reason);
  for (const name of Object.keys({ ...lateTexts, ...closedTexts })) {
    assert.ok(
      said.some((each) => each === name),
      name,
    );
  }
});

const late = names.filter((name) => closings[name].outcome === "too_late");
for (const name of late) {
  test(`a consent that is too late by ${name} says so, in this journey and in another`, async () => {
    const opened = await journeys.visit("domestic-payment");
    const other = await journeys.visit("domestic-payment");
    for (const { consentId } of [opened, other]) {
      await setConsent(bed.database, consentId, { body: JSON.stringify({ Data: { late: name } }) });
    }
    const text = lateTexts[name as keyof typeof lateTexts];
    await opened.visitor.login("anna");
    assert.match(opened.visitor.shown.body, /It is too late to approve this request/);
    assert.ok(opened.visitor.shown.body.includes(text), opened.visitor.shown.body);
    // the reason is stored with the consent, of which the other journey learns it
    const { reasons } = await bed.consent(opened.consentId);
    const statusReason = reasons as StatusReason[];
    await setConsent(bed.database, other.consentId, { status: "RJCT", statusReason });
    await other.visitor.login("anna");
    assert.match(other.visitor.shown.body, /It is too late to approve this request/);
    assert.ok(other.visitor.shown.body.includes(text), other.visitor.shown.body);
  });
}

const closed = names.filter((name) => closings[name].reason !== null && !late.includes(name));
for (const name of closed) {
  test(`a consent that was rejected elsewhere by ${name} says so`, async () => {
    const { visitor, consentId } = await journeys.visit("domestic-payment");
    const statusReason = [statusReasons[name]];
    await setConsent(bed.database, consentId, { status: "RJCT", statusReason });
    await visitor.login("anna");
    assert.match(visitor.shown.body, /This request is closed/);
    const text = closedTexts[closings[name].reason as keyof typeof closedTexts];
    assert.ok(visitor.shown.body.includes(text), visitor.shown.body);
    assert.match(visitor.shown.body, /Nothing was paid\./);
  });
}

test("of a reason that only the core knows, a page says no more than that it is closed", async () => {
  const { visitor, consentId } = await journeys.visit("domestic-payment");
  const statusReason = [{ code: "AC04" as const, text: "The core says so." }];
  await setConsent(bed.database, consentId, { status: "RJCT", statusReason });
  await visitor.login("anna");
  assert.match(visitor.shown.body, /It can no longer be approved here\./);
  assert.doesNotMatch(visitor.shown.body, /another device|cancelled/);
});

const hourEnded = "A request can be approved only for a limited time.";

for (const page of ["login", "factor", "accounts", "review"] as const) {
  test(`at ${page}, the time of a page ends with the consent's hour, which is the cause then`, async () => {
    const opened = await journeys.visit("domestic-payment", { review: page === "review" });
    const { visitor, consentId } = opened;
    const createdAt = bed.clock.now().subtract({ minutes: 57 });
    await setConsent(bed.database, consentId, { createdAt });
    if (page !== "login") await visitor.login("anna");
    if (page === "accounts" || page === "review") await visitor.factor();
    if (page === "review") await visitor.submit({ account: "101", decision: "continue" });
    assert.equal(visitor.step, page);
    await visitor.open(visitor.shown.url);
    const until = momentText(createdAt.add({ hours: 1 }), bed.clock.now());
    assert.ok(visitor.shown.body.includes(`You have until ${until} for this page`), until);
    assert.doesNotMatch(visitor.shown.body, /value="extend"/);
    bed.advance({ minutes: 4 });
    await visitor.submit({ decision: visitor.go });
    assert.match(visitor.shown.body, /This request has expired/);
    assert.ok(visitor.shown.body.includes(hourEnded), visitor.shown.body);
    assert.match(visitor.shown.body, /Nothing was paid\./);
  });
}

test("a customer who comes back after the page's time and the consent's hour reads what came first", async () => {
  const { visitor } = await journeys.visit("domestic-payment");
  bed.advance({ minutes: 70 });
  await visitor.open(visitor.shown.url);
  assert.match(visitor.shown.body, /Your time has run out/);
});

test("the words of an ended agreement promise no new start", () => {
  const ending = { method: null, lockedUntil: null, approval: null, refusal: null, reason: null };
  const about = { clientName: "X", noun: "payment permission", consent: "untouched" } as const;
  const facts = { ...about, ...ending, isOwn: false };
  for (const outcome of ["agreement_over", "not_served"] as const) {
    assert.doesNotMatch(JSON.stringify(textsOf(outcome, facts)), /start again|exchange rate/);
  }
});
