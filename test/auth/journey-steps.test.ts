import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "#src/storage/sql.ts";
import { onPostgres } from "#test/postgres.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, openJourneys } from "./journeys.ts";
import { paperCustomers } from "./paper-bank.ts";
import type { Shown, Visitor } from "./visitor.ts";

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  bed = await openAuthBed();
  journeys = await openJourneys(bed);
});
after(() => bed.close());

/** The form of each step, filled in so that the journey continues. */
const forms = {
  login: { login: "anna", password: "anna-password", decision: "continue" },
  factor: { code: paperCustomers[0]?.code ?? "", decision: "continue" },
  accounts: { account: "101", decision: "continue" },
  review: { decision: "approve" },
} as const;
type Step = keyof typeof forms;
const steps = Object.keys(forms) as Step[];

/** Goes to a step. Returns the pages on the way and that of the step. */
async function goTo(visitor: Visitor, step: Step): Promise<Map<Step, Shown>> {
  const pages = new Map<Step, Shown>();
  for (const each of steps.slice(0, steps.indexOf(step) + 1)) {
    assert.equal(visitor.step, each);
    pages.set(each, visitor.shown);
    if (each !== step) await visitor.submit(forms[each]);
  }
  return pages;
}

/** Returns the state of a consent, its journey and the logins. */
async function stateOf(consentId: string): Promise<unknown> {
  const state = await bed.database.query(sql`
    select c.status, c.customer_id, j.step, j.outcome, j.customer_id as customer, j.account_ids,
      j.failures, j.expires_at, h.tries, h.verified_at, h.spent_at
    from consent c join journey j on j.consent_id = c.consent_id
    left join login_challenge h on h.challenge_id = j.challenge_id
    where c.consent_id = ${consentId}`);
  return [state, { ...bed.judged }];
}

for (const current of steps) {
  for (const posted of steps.filter((step) => step !== current)) {
    test(`at ${current}, the form of ${posted} changes nothing and leads to ${current}`, async () => {
      const { consentId, visitor } = await journeys.visit("account-access");
      await goTo(visitor, current);
      const before = await stateOf(consentId);
      await visitor.submit({ step: posted, ...forms[posted] });
      assert.equal(visitor.step, current);
      assert.deepEqual(await stateOf(consentId), before);
    });
  }
}

for (const step of [undefined, "", "ended", "no such step"]) {
  test(`a form of the unknown step ${JSON.stringify(step)} changes nothing`, async () => {
    const { consentId, visitor } = await journeys.visit("account-access");
    const before = await stateOf(consentId);
    const { csrf } = visitor;
    await visitor.open(visitor.shown.url, { ...forms.login, csrf, ...(step && { step }) });
    assert.equal(visitor.step, "login");
    assert.deepEqual(await stateOf(consentId), before);
  });
}

for (const step of steps) {
  test(`a customer who goes back to ${step} and sends its form again stays at the current step`, async () => {
    const { consentId, visitor } = await journeys.visit("account-access");
    const pages = await goTo(visitor, "review");
    await visitor.submit(forms.review);
    const back = pages.get(step);
    assert.ok(back);
    const after = await stateOf(consentId);
    visitor.shown = back;
    await visitor.submit(forms[step]);
    assert.ok((await answerOf(visitor)).code);
    assert.deepEqual(await stateOf(consentId), after);
    // once the TPP has its response
    visitor.shown = back;
    await visitor.submit(forms[step]);
    assert.match(visitor.shown.body, /This is done/);
    assert.equal((await bed.consent(consentId)).status, "AUTH");
  });

  test(`the form of ${step}, sent twice concurrently, takes effect once`, async () => {
    const { consentId, visitor } = await journeys.visit("account-access");
    await goTo(visitor, step);
    const form = { ...visitor.hidden, ...forms[step] };
    const { url } = visitor.shown;
    const twice = [visitor.copy(), visitor.copy()];
    const shown = await Promise.all(twice.map((one) => one.open(url, form)));
    for (const { status } of shown) assert.equal(status, 200);
    await visitor.open(url);
    if (step !== "review") await goOnFrom(visitor);
    assert.ok((await answerOf(visitor)).code);
    const { status, accounts } = await bed.consent(consentId);
    assert.deepEqual([status, accounts], ["AUTH", ["101"]]);
  });

  test(`after a time-out at ${step}, its form changes nothing and the consent is rejected`, async () => {
    const { consentId, visitor } = await journeys.visit("account-access");
    await goTo(visitor, step);
    const judged = { ...bed.judged };
    bed.advance({ minutes: step === "login" || step === "factor" ? 15 : 5, seconds: 1 });
    await visitor.submit(forms[step]);
    const { error, error_description: description } = await answerOf(visitor);
    assert.equal(error, "access_denied");
    assert.match(description ?? "", /in time/);
    const { status, reasons } = await bed.consent(consentId);
    assert.deepEqual([status, reasons[0]?.StatusReasonCode], ["RJCT", "U036"]);
    assert.deepEqual(bed.judged, judged);
  });

  test(`a consent that its TPP deletes at ${step} ends the journey with access_denied`, async () => {
    const { consentId, visitor } = await journeys.visit("account-access");
    await goTo(visitor, step);
    await bed.database.query(
      sql`update consent set deleted_at = ${bed.clock.now()} where consent_id = ${consentId}`,
    );
    await visitor.submit(forms[step]);
    assert.equal((await answerOf(visitor)).error, "access_denied");
    assert.equal((await bed.consent(consentId)).status, "AWAU");
  });

  test(`cancelling from the page of ${step}, after going back to it, ends the journey`, async () => {
    const { consentId, visitor } = await journeys.visit("account-access");
    const pages = await goTo(visitor, "review");
    visitor.shown = pages.get(step) ?? visitor.shown;
    await visitor.submit({ decision: "cancel" });
    assert.equal((await answerOf(visitor)).error, "access_denied");
    assert.equal((await bed.consent(consentId)).status, "RJCT");
  });
}

async function goOnFrom(visitor: Visitor): Promise<void> {
  for (let turn = 0; turn < steps.length; turn += 1) {
    const step = visitor.step as Step;
    if (forms[step]) await visitor.submit(forms[step]);
  }
}

test("if a consent is deleted after its approval, the TPP gets access_denied", async () => {
  const { consentId, visitor } = await journeys.visit("account-access");
  await goTo(visitor, "review");
  await visitor.submit(forms.review);
  const page = visitor.shown;
  const at = bed.clock.now();
  await bed.database.query(
    sql`update consent set deleted_at = ${at}, grant_id = null where consent_id = ${consentId}`,
  );
  await visitor.open(page.url);
  assert.equal((await answerOf(visitor)).error, "access_denied");
});

const concurrent = { skip: onPostgres ? false : "one connection: nothing is concurrent" };

test(
  "of two journeys that approve one payment concurrently, one gets a code",
  concurrent,
  async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const { consentId, visitor: one, url } = await journeys.visit("domestic-payment");
      const other = one.copy();
      await other.open(url);
      await goTo(one, "review");
      await goTo(other, "review");
      await Promise.all([one.submit(forms.review), other.submit(forms.review)]);
      const answers = [await answerOf(one), await answerOf(other)];
      assert.equal(answers.filter(({ code }) => code).length, 1);
      assert.equal(answers.filter(({ error }) => error === "access_denied").length, 1);
      assert.equal((await bed.consent(consentId)).status, "AUTH");
    }
  },
);

test(
  "of concurrent approvals and a cancellation, one wins and all show its result",
  concurrent,
  async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const { consentId, visitor } = await journeys.visit("account-access");
      await goTo(visitor, "review");
      const { url } = visitor.shown;
      const windows = ["approve", "cancel", "approve"].map((decision) =>
        visitor.copy().open(url, { ...visitor.hidden, decision }),
      );
      const titles = (await Promise.all(windows)).map(({ body }) => /<h1>([^<]*)/.exec(body)?.[1]);
      assert.equal(new Set(titles).size, 1, titles.join());
      await visitor.open(url);
      const { code } = await answerOf(visitor);
      const { status, grant } = await bed.consent(consentId);
      assert.equal(status, code ? "AUTH" : "RJCT");
      const grants = await bed.database.query(sql`
      select grant_id from consent_authorisation where consent_id = ${consentId}`);
      assert.equal(grants.length, code ? 1 : 0);
      assert.equal(grant === null, code === undefined);
    }
  },
);
