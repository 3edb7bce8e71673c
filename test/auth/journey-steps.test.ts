import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "#src/storage/sql.ts";
import { readAuthorisations, setConsent } from "#test/consents/stored-rows.ts";
import { onPostgres } from "#test/postgres.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, type Kind, openJourneys } from "./journeys.ts";
import { paperCustomers } from "./paper-bank.ts";
import type { Shown, Visitor } from "./visitor.ts";

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  bed = await openAuthBed();
  journeys = await openJourneys(bed);
});
after(() => bed.close());

/** The fields of each step. */
const fields = {
  login: { login: "anna", password: "anna-password" },
  factor: { code: paperCustomers[0]?.code ?? "" },
  accounts: { account: "101" },
  review: {},
} as const;
type Step = keyof typeof fields;

/** A journey through these steps: the customer approves at the last one. */
type Way = { name: string; kind: Kind; data: Record<string, unknown>; steps: readonly Step[] };
const whole: Way = {
  name: "with a review",
  kind: "account-access",
  data: { review: true },
  steps: ["login", "factor", "accounts", "review"],
};
const chosen: Way = {
  name: "approved with the choice of account",
  kind: "account-access",
  data: {},
  steps: ["login", "factor", "accounts"],
};
const named: Way = {
  name: "approved with the code",
  kind: "domestic-payment",
  data: { debtor: "20201012345101" },
  steps: ["login", "factor"],
};
const ways = [whole, chosen, named];

const lastOf = ({ steps }: Way): Step => steps.at(-1) ?? "login";

/** The form of a step, filled in so that the journey continues. */
const formOf = (way: Way, step: Step) => ({
  ...fields[step],
  decision: step === lastOf(way) ? "approve" : "continue",
});

const begin = ({ kind, data }: Way) => journeys.visit(kind, data);

/** Goes to a step. Returns the pages on the way and that of the step. */
async function goTo(way: Way, visitor: Visitor, step: Step): Promise<Map<Step, Shown>> {
  const { steps } = way;
  const pages = new Map<Step, Shown>();
  for (const each of steps.slice(0, steps.indexOf(step) + 1)) {
    assert.equal(visitor.step, each);
    pages.set(each, visitor.shown);
    if (each !== step) await visitor.submit(formOf(way, each));
  }
  return pages;
}

/** Returns the state of a consent, its journey and the logins. */
async function stateOf(consentId: string): Promise<unknown> {
  const state = await bed.database.query(sql`
    select j.step, j.outcome, j.customer_id as customer, j.account_ids,
      j.failures, j.expires_at, h.tries, h.verified_at, h.spent_at
    from journey j left join login_challenge h on h.challenge_id = j.challenge_id
    where j.consent_id = ${consentId}`);
  const { status, customer } = await bed.consent(consentId);
  return [status, customer, state, { ...bed.judged }];
}

for (const step of [undefined, "", "ended", "no such step"]) {
  test(`a form of the unknown step ${JSON.stringify(step)} changes nothing`, async () => {
    const { consentId, visitor } = await begin(whole);
    const before = await stateOf(consentId);
    const { csrf } = visitor;
    await visitor.open(visitor.shown.url, {
      ...formOf(whole, "login"),
      csrf,
      ...(step && { step }),
    });
    assert.equal(visitor.step, "login");
    assert.deepEqual(await stateOf(consentId), before);
  });
}

for (const way of ways) {
  for (const current of way.steps) {
    for (const posted of way.steps.filter((step) => step !== current)) {
      test(`at ${current}, the form of ${posted} changes nothing and leads to ${current} (${way.name})`, async () => {
        const { consentId, visitor } = await begin(way);
        await goTo(way, visitor, current);
        const before = await stateOf(consentId);
        await visitor.submit({ step: posted, ...formOf(way, posted) });
        assert.equal(visitor.step, current);
        assert.deepEqual(await stateOf(consentId), before);
      });
    }
  }

  for (const step of way.steps) {
    test(`a customer who goes back to ${step} and sends its form again stays at the current step (${way.name})`, async () => {
      const { consentId, visitor } = await begin(way);
      const pages = await goTo(way, visitor, lastOf(way));
      await visitor.submit(formOf(way, lastOf(way)));
      const back = pages.get(step);
      assert.ok(back);
      const after = await stateOf(consentId);
      visitor.shown = back;
      await visitor.submit(formOf(way, step));
      assert.ok((await answerOf(visitor)).code);
      assert.deepEqual(await stateOf(consentId), after);
      // once the TPP has its response
      visitor.shown = back;
      await visitor.submit(formOf(way, step));
      assert.match(visitor.shown.body, /You are logged out/);
      assert.equal((await bed.consent(consentId)).status, "AUTH");
    });

    test(`the form of ${step}, sent twice concurrently, takes effect once (${way.name})`, async () => {
      const { consentId, visitor } = await begin(way);
      await goTo(way, visitor, step);
      const form = { ...visitor.hidden, ...formOf(way, step) };
      const { url } = visitor.shown;
      const twice = [visitor.copy(), visitor.copy()];
      const shown = await Promise.all(twice.map((one) => one.open(url, form)));
      for (const { status } of shown) assert.equal(status, 200);
      await visitor.open(url);
      if (step !== lastOf(way)) await goOnFrom(way, visitor);
      assert.ok((await answerOf(visitor)).code);
      const { status, accounts } = await bed.consent(consentId);
      assert.deepEqual([status, accounts], ["AUTH", ["101"]]);
    });

    test(`after a time-out at ${step}, its form changes nothing and the consent is rejected (${way.name})`, async () => {
      const { consentId, visitor } = await begin(way);
      await goTo(way, visitor, step);
      const judged = { ...bed.judged };
      bed.advance({ minutes: step === "login" || step === "factor" ? 15 : 5, seconds: 1 });
      await visitor.submit(formOf(way, step));
      const { error, error_description: description } = await answerOf(visitor);
      assert.equal(error, "access_denied");
      assert.match(description ?? "", /in time/);
      const { status, reasons } = await bed.consent(consentId);
      assert.deepEqual([status, reasons[0]?.code], ["RJCT", "U036"]);
      assert.deepEqual(bed.judged, judged);
    });

    test(`a consent that its TPP deletes at ${step} ends the journey with access_denied (${way.name})`, async () => {
      const { consentId, visitor } = await begin(way);
      await goTo(way, visitor, step);
      await setConsent(bed.database, consentId, { deletedAt: bed.clock.now() });
      await visitor.submit(formOf(way, step));
      assert.equal((await answerOf(visitor)).error, "access_denied");
      assert.equal((await bed.consent(consentId)).status, "AWAU");
    });

    test(`cancelling from the page of ${step}, after going back to it, ends the journey (${way.name})`, async () => {
      const { consentId, visitor } = await begin(way);
      const pages = await goTo(way, visitor, lastOf(way));
      visitor.shown = pages.get(step) ?? visitor.shown;
      await visitor.submit({ decision: "cancel" });
      assert.equal((await answerOf(visitor)).error, "access_denied");
      assert.equal((await bed.consent(consentId)).status, "RJCT");
    });
  }
}

async function goOnFrom(way: Way, visitor: Visitor): Promise<void> {
  for (const step of way.steps) {
    if (visitor.step === step) await visitor.submit(formOf(way, step));
  }
}

test("if a consent is deleted after its approval, the TPP gets access_denied", async () => {
  const { consentId, visitor } = await begin(whole);
  await goTo(whole, visitor, "review");
  await visitor.submit(formOf(whole, "review"));
  const page = visitor.shown;
  const at = bed.clock.now();
  await setConsent(bed.database, consentId, { deletedAt: at, grantId: null });
  await visitor.open(page.url);
  assert.equal((await answerOf(visitor)).error, "access_denied");
});

const concurrent = { skip: onPostgres ? false : "one connection: nothing is concurrent" };

for (const way of ways) {
  test(
    `of two journeys that approve one payment concurrently, one gets a code (${way.name})`,
    concurrent,
    async () => {
      const last = formOf(way, lastOf(way));
      for (let turn = 0; turn < 5; turn += 1) {
        const payment = await begin({ ...way, kind: "domestic-payment" });
        const { consentId, visitor: one } = payment;
        const other = one.copy();
        await other.open(payment.url);
        await goTo(way, one, lastOf(way));
        await goTo(way, other, lastOf(way));
        await Promise.all([one.submit(last), other.submit(last)]);
        const answers = [await answerOf(one), await answerOf(other)];
        assert.equal(answers.filter(({ code }) => code).length, 1);
        assert.equal(answers.filter(({ error }) => error === "access_denied").length, 1);
        assert.equal((await bed.consent(consentId)).status, "AUTH");
      }
    },
  );

  test(
    `of concurrent approvals and a cancellation, one wins and all show its result (${way.name})`,
    concurrent,
    async () => {
      for (let turn = 0; turn < 5; turn += 1) {
        const { consentId, visitor } = await begin(way);
        await goTo(way, visitor, lastOf(way));
        const { url } = visitor.shown;
        const form = { ...visitor.hidden, ...formOf(way, lastOf(way)) };
        const windows = ["approve", "cancel", "approve"].map((decision) =>
          visitor.copy().open(url, { ...form, decision }),
        );
        const shown = await Promise.all(windows);
        const titles = shown.map(({ body }) => /<h1>([^<]*)/.exec(body)?.[1]);
        assert.equal(new Set(titles).size, 1, titles.join());
        await visitor.open(url);
        const { code } = await answerOf(visitor);
        const { status, grant } = await bed.consent(consentId);
        assert.equal(status, code ? "AUTH" : "RJCT");
        const grants = await readAuthorisations(bed.database, consentId);
        assert.equal(grants.length, code ? 1 : 0);
        assert.equal(grant === null, code === undefined);
      }
    },
  );
}
