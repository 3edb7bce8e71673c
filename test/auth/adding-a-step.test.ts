import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { createJourney, type JourneyDeps } from "#src/auth/journey/journey.ts";
import type { FormFields, JourneyStep } from "#src/auth/journey/journey-step.ts";
import { stepsOf } from "#src/auth/journey/steps/journey-steps.ts";
import { html } from "#src/pages/html.ts";
import { choices, hiddenFields, problem } from "#src/pages/journey-parts.ts";
import { layout } from "#src/pages/layout.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, openJourneys } from "./journeys.ts";
import type { Visitor } from "./visitor.ts";

// A step of the consent journey is a row of data. Here a bank adds a fraud warning between the
// choice of the account and the review, except for consents to account access.

const fraudStep: JourneyStep<{ reason: "one" }> = {
  name: "fraud warning",
  minutes: 2,
  fields: { reason: "one" },
  async begin(_tools, { kind }) {
    return { facts: {}, isSkipped: kind.scope === "accounts" };
  },
  async show(_tools, _place, frame) {
    const form = html`
<form method="post" action="${frame.action}">${hiddenFields(frame)}
<input name="reason" value="${frame.given?.reason}">
${choices([{ value: "continue", text: "Continue" }])}</form>`;
    const { bankName } = frame;
    return layout({ bankName, title: "Stop", body: html`${problem(frame.error)}${form}` });
  },
  async take(_call, _place, { reason }) {
    if (reason === "he asked me to") return { ends: "cancelled" };
    return reason === "" ? { refused: { error: "Say why you pay." } } : { done: {} };
  },
};

const journeySteps = stepsOf(null);
const steps: JourneyStep<FormFields>[] = journeySteps.flatMap((step) =>
  step.name === "review" ? [fraudStep, step] : [step],
);

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  bed = await openAuthBed({ steps });
  journeys = await openJourneys(bed);
});
after(() => bed.close());

async function toFraudStep(): Promise<{ consentId: string; visitor: Visitor }> {
  const { consentId, visitor } = await journeys.visit("domestic-payment");
  await visitor.login("anna");
  await visitor.factor();
  await visitor.submit({ account: "101", decision: "continue" });
  assert.match(visitor.shown.body, /name="reason"/);
  return { consentId, visitor };
}

test("an added step is shown in its place, refuses its form, and continues", async () => {
  const { consentId, visitor } = await toFraudStep();
  await visitor.submit({ reason: "", decision: "continue" });
  assert.match(visitor.shown.body, /Say why you pay\./);
  await visitor.submit({ step: "review", decision: "approve" });
  assert.match(visitor.shown.body, /name="reason"/);
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  await visitor.submit({ reason: "rent", decision: "continue" });
  await visitor.submit({ decision: "approve" });
  assert.ok((await answerOf(visitor)).code);
});

test("an added step can end the journey, and can time out", async () => {
  const left = await toFraudStep();
  await left.visitor.submit({ reason: "he asked me to", decision: "continue" });
  assert.equal((await answerOf(left.visitor)).error, "access_denied");
  assert.equal((await bed.consent(left.consentId)).status, "RJCT");
  const late = await toFraudStep();
  bed.advance({ minutes: 2, seconds: 1 });
  await bed.auth.sweep();
  assert.equal((await bed.consent(late.consentId)).status, "RJCT");
});

test("an added step is skipped if it does not apply", async () => {
  const { visitor } = await journeys.visit("account-access");
  await visitor.login("anna");
  await visitor.factor();
  await visitor.submit({ account: "101", decision: "continue" });
  assert.equal(visitor.step, "review");
});

test("a step can be added after the review, and then asks for the approval", async () => {
  const lastStep: JourneyStep<{ reason: "one" }> = {
    ...fraudStep,
    showsConsent: () => true,
    async show(_tools, _place, { action, go, bankName, ...frame }) {
      const form = html`
<form method="post" action="${action}">${hiddenFields(frame)}
<input name="reason">${choices([{ value: go, text: go }])}</form>`;
      return layout({ bankName, title: "Stop", body: form });
    },
  };
  const longer = await openAuthBed({ steps: [...journeySteps, lastStep] });
  try {
    const { visitor, consentId } = await (await openJourneys(longer)).visit("domestic-payment");
    await visitor.login("anna");
    await visitor.factor();
    for (const page of [{ account: "101" }, {}]) {
      assert.equal(visitor.go, "continue");
      assert.match(visitor.shown.body, />Continue</);
      await visitor.submit({ ...page, decision: "continue" });
    }
    assert.equal((await longer.consent(consentId)).status, "AWAU");
    await visitor.submit({ reason: "rent", decision: visitor.go });
    assert.ok((await answerOf(visitor)).code);
  } finally {
    await longer.close();
  }
});

test("a list of steps whose last one does not show the consent is refused", () => {
  // refused before anything but the list is used
  const deps = { steps: [...journeySteps, fraudStep], consentKinds: [] } as unknown as JourneyDeps;
  const refused = /the last step, fraud warning, shows the whole consent/;
  assert.throws(() => createJourney(deps), refused);
});

test("docs/architecture.md lists the steps in their order, with the fields of their forms", () => {
  const page = readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("## The customer's journey");
  const [text = ""] = section.split("\n## ");
  const rows = [...text.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(([, name, form = ""]) => [
    name,
    [...form.matchAll(/`([^`]+)`/g)].map(([, field]) => field),
  ]);
  assert.deepEqual(
    rows,
    journeySteps.map(({ name, fields }) => [name, Object.keys(fields)]),
  );
});
