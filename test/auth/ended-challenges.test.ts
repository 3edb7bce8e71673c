import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { endings, type JourneyOutcome } from "#src/auth/journey/outcomes.ts";
import { present } from "#src/lib/assert.ts";
import { endingTexts } from "#src/pages/journey-endings.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, openJourneys } from "./journeys.ts";
import { paperPayee } from "./paper-bank.ts";
import { Visitor } from "./visitor.ts";

// A journey that ends takes its request in the bank's app with it: an approval that comes later
// approves nothing, and the app can say so.

let bed: AuthBed;
let journeys: Journeys;
// the payees that were made trusted
const trusted: string[] = [];
// what the core waits for before it says what an answer was
let beforeAnswer: () => Promise<void> = async () => undefined;
before(async () => {
  bed = await openAuthBed({
    inApp: true,
    bank: {
      listBeneficiaries: async () => [paperPayee],
      async trustBeneficiary(_customerId, id) {
        trusted.push(id);
        return true;
      },
      // a login's request lasts longer than its page
      async challenge(customerId, subject, request) {
        const made = await bed.inApp.calls.challenge(customerId, subject, request);
        const expiresAt = bed.clock.now().add({ minutes: 15 });
        return subject.act === "login" ? { ...made, expiresAt } : made;
      },
      async challengeResult(challengeId) {
        const result = await bed.inApp.calls.challengeResult(challengeId);
        await beforeAnswer();
        return result;
      },
      async verify(challengeId, code) {
        await beforeAnswer();
        return bed.inApp.calls.verify(challengeId, code);
      },
    },
  });
  journeys = await openJourneys(bed);
});
after(() => bed?.close());

/** The request that was sent to the app last. */
const newest = () => present(bed.inApp.sent.at(-1), "a request in the app");
const read = (challengeId: string) => bed.appJourneys.readChallenge(challengeId);

const toApp = async (data: Record<string, unknown> = {}) => {
  const opened = await journeys.visit("domestic-payment", data);
  await opened.visitor.login("anna");
  assert.ok(opened.visitor.isInApp, opened.visitor.shown.body);
  const challengeId = newest();
  const { state, ending } = await read(challengeId);
  assert.deepEqual({ state, ending }, { state: "open", ending: null });
  return { ...opened, challengeId };
};

/** Asserts that an approval in the app counts no more, and returns the title that the app reads. */
async function refusesApproval({
  visitor,
  challengeId,
  consentId,
}: Awaited<ReturnType<typeof toApp>>) {
  const { state, ending } = await read(challengeId);
  assert.equal(state, "ended");
  bed.inApp.answer("approved", challengeId);
  bed.advance({ seconds: 2 });
  const asked = bed.inApp.asked.length;
  await visitor.open(visitor.shown.url);
  await (await journeys.visit("domestic-payment")).visitor.login("anna");
  assert.ok(!bed.inApp.asked.slice(asked).includes(challengeId), "the answer is not asked for");
  assert.notEqual((await bed.consent(consentId)).status, "AUTH");
  assert.equal((await read(challengeId)).state, "ended");
  return present(ending, "how the journey has ended").title;
}

const outcomes = (Object.keys(endings) as JourneyOutcome[]).filter((one) => one !== "approved");
for (const outcome of outcomes) {
  test(`after a journey that ended as ${outcome}, an approval in the app is refused, and the app can say why`, async () => {
    const asked = await toApp();
    const uid = asked.visitor.shown.url.split("/").at(-1) ?? "";
    // every ending is this one function with another outcome
    await bed.auth.journey.abandon(uid, outcome as "cancelled");
    const title = await refusesApproval(asked);
    const texts = endingTexts[outcome]({
      ...{ clientName: "Test TPP", noun: "payment", consent: "untouched", isOwn: false },
      ...{ method: "decoupled", lockedUntil: null, approval: null, refusal: null },
      reason: null,
    });
    assert.equal(title, texts.title);
    bed.inApp.answer("approved"); // no request of these tests is left unanswered
  });
}

for (const [how, end, title] of [
  [
    "the customer has cancelled on the page",
    ({ visitor }) => visitor.submit({ decision: "cancel" }),
    "Cancelled",
  ],
  [
    "the TPP has withdrawn the consent, and no page was loaded since",
    ({ consentId }) => setConsent(bed.database, consentId, { deletedAt: bed.clock.now() }),
    "Test TPP has withdrawn this request",
  ],
  [
    "the consent has expired, and no page was loaded since",
    ({ consentId }) => setConsent(bed.database, consentId, { expiresAt: bed.clock.now() }),
    "This request has expired",
  ],
  [
    "the customer has approved the consent on another device",
    async ({ url }) => {
      const other = new Visitor(bed);
      await other.open(url);
      await other.login("anna");
      await other.factor();
      await other.submit({ account: "101", decision: other.go });
      if (other.canApprove) await other.approve();
    },
    "You have already approved this",
  ],
] satisfies [string, (asked: Awaited<ReturnType<typeof toApp>>) => Promise<unknown>, string][]) {
  test(`the app can say that a request has ended: ${how}`, async () => {
    const asked = await toApp();
    await end(asked);
    const { state, ending } = await read(asked.challengeId);
    assert.equal(state, "ended");
    assert.equal(ending?.title, title);
    bed.inApp.answer("approved", asked.challengeId);
  });
}

test("an approval that has counted is answered in the app, and an unknown request is refused", async () => {
  const { visitor, challengeId } = await toApp();
  await visitor.factor();
  assert.equal((await read(challengeId)).state, "answered");
  await visitor.submit({ account: "101", decision: visitor.go });
  if (visitor.canApprove) await visitor.approve();
  const { state, ending } = await read(challengeId);
  assert.deepEqual([state, ending?.title], ["answered", "Approved"]);
  await assert.rejects(read("unknown"), { statusCode: 404 });
});

test("a request that was replaced by a newer one, or by a code, says so in the app", async () => {
  const replaced = async (challengeId: string) => {
    const { state, ending } = await read(challengeId);
    assert.deepEqual([state, ending?.title], ["ended", "This request was replaced"]);
  };
  const { visitor, challengeId: first } = await toApp();
  bed.advance({ minutes: 1 });
  await visitor.submit({ decision: "renew" });
  const second = newest();
  assert.notEqual(second, first);
  await replaced(first);
  assert.equal((await read(second)).state, "open");
  await visitor.submit({ decision: "code" });
  await replaced(second);
  await visitor.factor(); // so that no request is left unanswered
  const trusting = await toTrust();
  const third = newest();
  await trusting.submit({ decision: "renew" });
  await replaced(third);
  await trusting.submit({ decision: "cancel" });
  assert.equal((await read(newest())).ending, null);
});

test("a login to the bank's own pages that is cancelled ends its request in the app", async () => {
  const visitor = new Visitor(bed);
  await visitor.open(`${bed.publicUrl}/bank/login`);
  await visitor.login("roll");
  assert.equal((await read(newest())).state, "open");
  await visitor.submit({ decision: "cancel" });
  assert.equal((await read(newest())).state, "ended");
});

test("a login to the bank's own pages whose session has ended has ended in the app, too", async () => {
  const visitor = new Visitor(bed);
  await visitor.open(`${bed.publicUrl}/bank/login`);
  await visitor.login("roll");
  const challengeId = newest();
  bed.advance({ minutes: 4 });
  await visitor.open(visitor.shown.url);
  bed.advance({ minutes: 4 });
  assert.equal((await read(challengeId)).state, "open", "the page is still open");
  bed.advance({ minutes: 2 });
  assert.equal((await read(challengeId)).state, "ended");
  // a new login reads the answers to all requests of the customer
  bed.answerInApp("approved");
  await visitor.open(visitor.shown.url);
  await visitor.login("roll");
  assert.ok(visitor.isInApp, visitor.shown.body);
  assert.equal((await read(challengeId)).state, "ended");
  await visitor.factor();
  assert.equal((await read(newest())).state, "answered");
});

/** Asks roll to confirm in the app that a payee is trusted. */
async function toTrust(): Promise<Visitor> {
  const visitor = new Visitor(bed);
  await visitor.open(`${bed.publicUrl}/bank/login`);
  await visitor.login("roll");
  await visitor.factor();
  await visitor.open(`${bed.publicUrl}/bank/payees/b-1`);
  await visitor.submit({ decision: "trust" });
  assert.ok(visitor.isInApp, visitor.shown.body);
  assert.equal((await read(newest())).state, "open");
  return visitor;
}

test("an act on the bank's own pages that is left ends its request in the app", async () => {
  const visitor = await toTrust();
  await visitor.submit({ decision: "cancel" });
  assert.equal((await read(newest())).state, "ended");
});

/** Cancels on a page while the page in another window takes the approval from the core. */
async function cancelBetween(visitor: Visitor): Promise<Visitor> {
  const other = visitor.copy();
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  beforeAnswer = () => {
    asked.resolve();
    return answered.promise;
  };
  bed.answerInApp("approved");
  const shown = other.open(other.shown.url);
  await asked.promise;
  beforeAnswer = async () => undefined;
  await visitor.submit({ decision: "cancel" });
  assert.equal((await read(newest())).state, "ended");
  answered.resolve();
  assert.equal((await shown).status, 200);
  assert.equal((await read(newest())).state, "ended");
  return other;
}

test("an act that the customer leaves while its approval arrives is not done", async () => {
  const visitor = await toTrust();
  const confirmation = visitor.shown.url;
  const other = await cancelBetween(visitor);
  assert.deepEqual(trusted, []);
  await other.open(confirmation);
  assert.deepEqual(trusted, []);
});

test("a login that the customer cancels while its approval arrives logs nobody in", async () => {
  const visitor = new Visitor(bed);
  await visitor.open(`${bed.publicUrl}/bank/login`);
  await visitor.login("roll");
  const other = await cancelBetween(visitor);
  await other.open(`${bed.publicUrl}/bank`);
  assert.equal(other.step, "login", other.shown.body);
});

test("an act that the customer leaves is not done later, even if its approval is known already", async () => {
  const visitor = await toTrust();
  const confirmation = visitor.shown.url;
  const challengeId = newest();
  bed.answerInApp("approved");
  // a new login reads the answers to all requests of the customer
  const elsewhere = new Visitor(bed);
  await elsewhere.open(`${bed.publicUrl}/bank/login`);
  await elsewhere.login("roll");
  await elsewhere.submit({ decision: "cancel" });
  assert.equal((await read(challengeId)).state, "answered");
  await visitor.submit({ decision: "cancel" });
  await visitor.open(confirmation);
  assert.deepEqual(trusted, []);
});

const titleOf = ({ shown }: Visitor) => /<h1>([^<]*)<\/h1>/.exec(shown.body)?.[1];

test("a cancellation and an approval by code that arrive at once end the journey once, the same for all", async () => {
  const orders = {
    "the approval comes first": async (cancel, approve) => {
      await approve();
      await cancel();
    },
    "the cancellation comes while the core checks the code": async (cancel, approve) => {
      const asked = Promise.withResolvers<void>();
      const checked = Promise.withResolvers<void>();
      beforeAnswer = () => {
        asked.resolve();
        return checked.promise;
      };
      const approved = approve();
      await asked.promise;
      beforeAnswer = async () => undefined;
      await cancel();
      checked.resolve();
      await approved;
    },
    "both at once": (cancel, approve) => Promise.all([approve(), cancel()]),
    "both at once, the other way round": (cancel, approve) => Promise.all([cancel(), approve()]),
  } satisfies Record<
    string,
    (cancel: () => Promise<unknown>, approve: () => Promise<unknown>) => Promise<unknown>
  >;
  const statuses = new Set<string>();
  for (let turn = 0; turn < 5; turn += 1) {
    for (const [order, run] of Object.entries(orders)) {
      // the account is known, so the code approves
      const { visitor, consentId } = await toApp({ debtor: "20201012345101" });
      await visitor.submit({ decision: "code" });
      assert.equal(visitor.go, "approve", visitor.shown.body);
      const other = visitor.copy();
      await run(
        () => visitor.submit({ decision: "cancel" }),
        () => other.factor(),
      );
      const { status } = await bed.consent(consentId);
      const isApproved = status === "AUTH";
      for (const window of [visitor, other]) {
        assert.ok(window.shown.status < 500, window.shown.body);
        await window.open(visitor.shown.url);
        assert.equal(titleOf(window), isApproved ? "Approved" : "Cancelled", order);
      }
      const { code, error } = await answerOf(visitor);
      assert.equal(status, isApproved ? "AUTH" : "RJCT");
      assert.equal(error, isApproved ? undefined : "access_denied", order);
      assert.equal(code !== undefined, isApproved, order);
      statuses.add(status);
    }
  }
  assert.deepEqual([...statuses].toSorted(), ["AUTH", "RJCT"]);
});
