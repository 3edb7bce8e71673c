import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { JourneyOutcome } from "#src/auth/journey/outcomes.ts";
import { methodOf } from "#src/auth/login/methods/methods.ts";
import { ownActs } from "#src/auth/own-pages/own-acts.ts";
import type { ApprovalMethodName } from "#src/bank/challenge.ts";
import type { Bank } from "#src/bank/port.ts";
import { type EndingFacts, endingTexts, textsOf } from "#src/pages/journey-endings.ts";
import { assertNoCodes, codesNamedOn } from "#test/pages/named-codes.ts";
import { inApp, journeyPages, ownPages } from "#test/pages/samples.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { openBankProvider, type ProviderMood } from "./bank-provider.ts";
import { answerOf, type Journeys, type Kind, openJourneys, toApproval } from "./journeys.ts";
import { paperPayee } from "./paper-bank.ts";
import { Visitor } from "./visitor.ts";

// A customer who approves in the bank's app, or at its OpenID provider, has no codes, and reads of
// none. app-endings.test.ts checks this on every page of the endings, too.

const stepsUp: NonNullable<Bank["assess"]> = async ({ sent, hasSteppedUp }) =>
  sent.consent.Data.stepUp && !hasSteppedUp
    ? { result: "step up", customerText: "You have never paid Acme before." }
    : { result: "allow" };

let app: { bed: AuthBed; journeys: Journeys };
let elsewhere: { bed: AuthBed; journeys: Journeys };
let provider: Awaited<ReturnType<typeof openBankProvider>>;
before(async () => {
  const bank: Partial<Bank> = { assess: stepsUp, listBeneficiaries: async () => [paperPayee] };
  const bed = await openAuthBed({ inApp: "only", bank });
  app = { bed, journeys: await openJourneys(bed) };
  provider = await openBankProvider();
  const other = await openAuthBed({
    bankLogin: (publicUrl) => provider.serve(publicUrl),
    checkPage: assertNoCodes,
  });
  elsewhere = { bed: other, journeys: await openJourneys(other) };
});
after(async () => {
  await app?.bed.close();
  await elsewhere?.bed.close();
  provider?.close();
});

test("the check finds a code in the text of a page and in its labels, but no sort code or QR code", () => {
  assert.equal(codesNamedOn("<p>Enter the <b>code</b>.</p>").length, 1);
  assert.equal(codesNamedOn('<section aria-label="The code is for this">').length, 1);
  assertNoCodes('<p class="code">Sort code 20-20-10</p><svg aria-label="QR code">');
});

test("no page names a code to a customer who approves in the app or with a passkey", () => {
  const byCode = Object.values({ ...journeyPages("X"), ...ownPages("X") });
  assert.ok(codesNamedOn(byCode.join("")).length > 3);
  for (const asked of [
    inApp(false, false),
    { by: "passkey", request: {}, hasCode: false } as const,
  ]) {
    const pages = { ...journeyPages("X", asked), ...ownPages("X", asked) };
    for (const [name, page] of Object.entries(pages)) {
      // these samples are for customers who can have a code
      const offered = /inApp|byPasskey/i.test(name) ? "Use a code instead" : "";
      assert.deepEqual(codesNamedOn(page.replace(offered, "")), [], `${name}, ${asked.by}`);
    }
  }
});

const ways: Record<ApprovalMethodName, true> = {
  code: true,
  passkey: true,
  decoupled: true,
  redirect: true,
  app: true,
};
const methods = Object.keys(ways) as ApprovalMethodName[];

test("no ending names a code unless the customer was asked for one", () => {
  const always = { clientName: "X", approval: null, refusal: null, reason: null, isOwn: true };
  const named = new Set<string>();
  for (const outcome of Object.keys(endingTexts) as JourneyOutcome[]) {
    for (const method of [...methods, null]) {
      for (const lockedUntil of [null, "06:27"]) {
        const given = { noun: "payment", consent: "unknown", method, lockedUntil } as const;
        const facts: EndingFacts = { ...always, ...given };
        const { title, text, next } = textsOf(outcome, facts);
        if (codesNamedOn(`${title} ${text} ${next}`).length > 0) named.add(`${outcome} ${method}`);
      }
    }
  }
  assert.deepEqual([...named], ["too_many_codes code"]);
});

test("no act on the bank's own pages names a code, and no note about a request in the app", () => {
  for (const act of Object.values(ownActs)) {
    const { title, go, leave } = act.textsOf({ noun: "payment" } as never, null);
    assertNoCodes(`${title} ${go} ${leave}`);
  }
  const { sent, noMore } = methodOf({ method: "decoupled" }).texts;
  assertNoCodes(`${sent} ${noMore}`);
});

test("a further confirmation in the app approves, and no page names a code", async () => {
  const { visitor, consentId } = await app.journeys.visit("domestic-payment", { stepUp: true });
  await toApproval(visitor);
  await visitor.approve();
  assert.match(visitor.shown.body, /Please confirm this once more/);
  await visitor.factor();
  assert.ok((await answerOf(visitor)).code);
  assert.equal((await app.bed.consent(consentId)).status, "AUTH");
});

test("an approval in the app is not taken while approving is locked, and the page says so", async () => {
  const { bed, journeys } = app;
  const { visitor } = await journeys.visit("account-access");
  await visitor.login("ben");
  const waiting = bed.inApp.sent.at(-1);
  for (let turn = 0; turn < 5; turn += 1) {
    const { visitor: one } = await journeys.visit("account-access");
    await one.login("ben");
    bed.answerInApp("declined");
    await one.open(one.shown.url);
  }
  bed.inApp.answer("approved", waiting);
  for (let turn = 0; turn < 5; turn += 1) {
    bed.advance({ seconds: 2 });
    await visitor.open(visitor.shown.url);
  }
  assert.match(visitor.shown.body, /Approving in your app is locked until \d\d:\d\d/);
  assert.equal((await answerOf(visitor)).error, "access_denied");
});

test("the bank's own pages name no code to a customer who approves in the app", async () => {
  const { bed } = app;
  const visitor = new Visitor(bed);
  await visitor.open(`${bed.publicUrl}/bank/login`);
  await visitor.login("anna");
  assert.ok(visitor.isInApp, visitor.shown.body);
  await visitor.factor();
  for (const path of ["", "/direct-debits", "/payments", "/payees", "/payees/b-1/remove"]) {
    await visitor.open(`${bed.publicUrl}/bank${path}`);
    assert.equal(visitor.shown.status, path === "/payments" ? 404 : 200, path);
  }
  await visitor.open(`${bed.publicUrl}/bank/payees/b-1`);
  await visitor.submit({ decision: "trust" });
  assert.match(visitor.shown.body, /Trust this payee\?/);
  assert.ok(visitor.isInApp, visitor.shown.body);
  await visitor.submit({ decision: "renew" });
  assert.match(visitor.shown.body, /We have sent this to your app again/);
});

/** Confirms at the bank's provider, and comes back. */
async function confirmThere(visitor: Visitor, mood: ProviderMood = {}): Promise<void> {
  for (const name of Object.keys(provider.mood)) delete provider.mood[name as keyof ProviderMood];
  Object.assign(provider.mood, mood);
  const there = new Visitor({ publicUrl: provider.issuer });
  await there.open(visitor.shown.url);
  await there.open(there.shown.url, { answer: "confirm" });
  await visitor.open(there.shown.url);
}

const visitElsewhere = async (kind: Kind, data: Record<string, unknown>, mood?: ProviderMood) => {
  const opened = await elsewhere.journeys.visit(kind, data);
  await confirmThere(opened.visitor, mood);
  return opened;
};

test("a customer who confirms at the bank's provider reads of no code up to the approval", async () => {
  for (const kind of ["domestic-payment", "account-access"] as const) {
    const { visitor } = await visitElsewhere(kind, { review: true });
    assert.equal(visitor.step, "accounts", visitor.shown.body);
    await visitor.submit({ account: "101", decision: "continue" });
    assert.equal(visitor.step, "review");
    await visitor.approve();
    assert.match(visitor.shown.body, /Approved/);
    assert.ok((await answerOf(visitor)).code);
  }
});

test("a customer who confirms something else at the bank's provider reads that, and of no code", async () => {
  const details: ProviderMood["details"] = (all) =>
    all.map((one) => ({ ...one, subject_hash: "another" }));
  const { visitor } = await visitElsewhere("domestic-payment", {}, { details });
  assert.match(visitor.shown.body, /What you confirmed is not what your approval would do now/);
  assert.equal((await answerOf(visitor)).error, "access_denied");
});

test("a customer whose login at the bank's provider has failed reads of no code, and can cancel", async () => {
  const { visitor } = await visitElsewhere("domestic-payment", {}, { acr: "loa1" });
  assert.match(visitor.shown.body, /The login could not be completed/);
  await visitor.submit({ decision: "cancel" });
  assert.match(visitor.shown.body, /You have cancelled this request/);
});

for (const [data, title] of [
  [{ debtor: "20201012345201" }, "is not one of yours"],
  [{ debtor: "20201012345102" }, "Your account cannot be used for this"],
] as const) {
  test(`a customer who has confirmed at the bank's provider reads of no code at the end: ${title}`, async () => {
    const { visitor } = await visitElsewhere("domestic-payment", data);
    assert.ok(visitor.shown.body.includes(title), visitor.shown.body);
  });
}
