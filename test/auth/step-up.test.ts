import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { AssessedConsent, Assessment } from "#src/bank/assessment.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, openJourneys, toApproval } from "./journeys.ts";
import { wrongly } from "./refused-ending.ts";
import type { Visitor } from "./visitor.ts";

// A core that answers `step up` after the approval: the customer enters a further code.

const customerText = "You have never paid <Acme> before.";
const stepUp = { result: "step up", customerText } as const;

let asked: AssessedConsent[] = [];
let answer: (consent: AssessedConsent) => Assessment;

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  const assess = async (consent: AssessedConsent) => {
    asked.push(consent);
    return answer(consent);
  };
  bed = await openAuthBed({ bank: { assess } });
  journeys = await openJourneys(bed);
});
beforeEach(() => {
  asked = [];
  answer = ({ hasSteppedUp }) => (hasSteppedUp ? { result: "allow" } : stepUp);
});
after(() => bed.close());

/** Approves a payment, so that the core asks for a further code. */
async function toStepUp(data: Record<string, unknown> = {}, login = "anna", account = "101") {
  const { consentId, visitor } = await journeys.visit("domestic-payment", data);
  await toApproval(visitor, login);
  await visitor.approve(account);
  return { consentId, visitor };
}

const isStepUp = ({ hidden, canApprove }: Visitor): boolean =>
  hidden.step === "step-up" && canApprove;

test("the page says why a further code is needed and shows the consent, and the code approves it", async () => {
  const { consentId, visitor } = await toStepUp();
  assert.ok(isStepUp(visitor), visitor.shown.body);
  assert.ok(visitor.shown.body.includes("You have never paid &lt;Acme&gt; before."));
  assert.ok(visitor.shown.body.includes("12345101"));
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  await visitor.factor();
  assert.ok((await answerOf(visitor)).code);
  assert.equal((await bed.consent(consentId)).status, "AUTH");
  assert.deepEqual(
    asked.map(({ hasSteppedUp, accountIds }) => ({ hasSteppedUp, accountIds })),
    [false, true].map((hasSteppedUp) => ({ hasSteppedUp, accountIds: ["101"] })),
  );
  assert.ok(asked.every(({ tpp }) => tpp.softwareName && tpp.organisationName));
});

test("if others must approve too, the further code approves for this customer only", async () => {
  const { visitor } = await toStepUp({}, "joint", "301");
  assert.match(visitor.shown.body, /Entering the code approves it for you\./);
  const alone = await toStepUp();
  assert.match(alone.visitor.shown.body, /Entering the code approves it\./);
});

test("a further code is asked for after a code that has approved, too", async () => {
  const { visitor } = await toStepUp({ debtor: "20201012345101" });
  assert.ok(isStepUp(visitor), visitor.shown.body);
  await visitor.factor();
  assert.ok((await answerOf(visitor)).code);
  assert.equal(asked.length, 2);
});

test("a further code is asked for after a review, too", async () => {
  const { consentId, visitor } = await toStepUp({ review: true });
  assert.equal(visitor.hidden.step, "step-up", visitor.shown.body);
  await visitor.factor();
  assert.ok((await answerOf(visitor)).code);
  assert.equal((await bed.consent(consentId)).status, "AUTH");
});

test("a form of an earlier page approves nothing once a further code is needed", async () => {
  const { consentId, visitor } = await journeys.visit("domestic-payment");
  await toApproval(visitor);
  const page = { url: visitor.shown.url, hidden: visitor.hidden };
  await visitor.approve();
  assert.ok(isStepUp(visitor));
  for (const step of ["accounts", "review", "factor"]) {
    await visitor.open(page.url, { ...page.hidden, step, account: "101", decision: "approve" });
    assert.ok(isStepUp(visitor), step);
  }
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  assert.equal(asked.length, 1);
});

test("a wrong code is refused with the reason still on the page, and too many end the journey", async () => {
  // a customer whom the wrong codes lock out
  const { consentId, visitor } = await toStepUp({}, "ben", "201");
  await visitor.submit({ code: "000000", decision: "approve" });
  assert.match(visitor.shown.body, /That code is not right/);
  assert.ok(visitor.shown.body.includes("You have never paid &lt;Acme&gt; before."));
  for (let turn = 1; turn < 5; turn += 1) {
    await visitor.submit({ code: "000000", decision: "approve" });
  }
  assert.equal((await answerOf(visitor)).error, "access_denied");
  assert.equal((await bed.consent(consentId)).status, "RJCT");
});

test("a customer whose codes are locked meanwhile is sent no further code", async () => {
  const { consentId, visitor } = await journeys.visit("domestic-payment");
  await toApproval(visitor, "roll");
  const other = (await journeys.visit("account-access")).visitor;
  await other.login("roll");
  await wrongly(other, { code: "000000" });
  await visitor.approve("400");
  assert.equal(isStepUp(visitor), false, visitor.shown.body);
  assert.match(visitor.shown.body, /locked until \d\d:\d\d/);
  assert.equal((await bed.consent(consentId)).status, "RJCT");
});

test("a customer who cancels instead of entering a further code has approved nothing", async () => {
  const { consentId, visitor } = await toStepUp();
  await visitor.submit({ decision: "cancel" });
  assert.equal((await answerOf(visitor)).error, "access_denied");
  assert.equal((await bed.consent(consentId)).status, "RJCT");
});

test("a further code that does not come in time ends the journey", async () => {
  const { consentId } = await toStepUp();
  bed.advance({ minutes: 15, seconds: 1 });
  await bed.auth.sweep();
  assert.equal((await bed.consent(consentId)).status, "RJCT");
});

test("the core can refuse after a further code", async () => {
  const reason = { code: "FRAD", text: "Suspected of fraud" };
  answer = ({ hasSteppedUp }) =>
    hasSteppedUp ? { result: "refuse", customerText: "Please call us.", reason } : stepUp;
  const { visitor } = await toStepUp();
  await visitor.factor();
  assert.match(visitor.shown.body, /Please call us\./);
  assert.equal((await answerOf(visitor)).error_description, "FRAD: Suspected of fraud");
});

test("a core that asks for a further code again gets no second one, and authorises nothing", async () => {
  answer = () => stepUp;
  const { consentId, visitor } = await toStepUp();
  await visitor.factor();
  assert.equal(visitor.shown.status, 503);
  assert.equal((await bed.consent(consentId)).status, "AWAU");
});
