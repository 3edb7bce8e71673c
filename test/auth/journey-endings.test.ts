import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { closings } from "#src/auth/journey/closings.ts";
import { endings, type JourneyOutcome } from "#src/auth/journey/outcomes.ts";
import { type EndingFacts, effectText, endingTexts, textsOf } from "#src/pages/journey-endings.ts";
import { setConsent } from "#test/consents/stored-rows.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import {
  approve,
  type EndingPlace,
  elsewhere,
  endingDrives,
  nothingDone,
  testEndings,
} from "./ending-drives.ts";
import { answerOf, type Journeys, openJourneys, toApproval } from "./journeys.ts";
import { assess, wrongly } from "./refused-ending.ts";

// What the customer reads at each end of a journey: the cause, and only what is known.

let bed: AuthBed;
let journeys: Journeys;
/** The names of all who may sign for the joint account; null if the bank cannot say now. */
let signatories: string[] | null = null;
const at = {} as EndingPlace;
before(async () => {
  const bank = {
    assess,
    async listSignatories() {
      if (signatories === null) throw new Error("the core is out of order");
      return ["cust-joint", ...signatories].map((name) => ({ customerId: name, name }));
    },
  };
  bed = await openAuthBed({ bank });
  journeys = await openJourneys(bed);
  Object.assign(at, { bed, journeys });
});
after(() => bed.close());

testEndings(at, endingDrives(at), "code");

const methods = ["code", "passkey", "decoupled", "redirect", "app"] as const;
const allFacts: EndingFacts[] = [];
for (const noun of ["payment", "payment permission", "access", "funds checks"] as const) {
  for (const consent of ["untouched", "kept", "unknown"] as const) {
    for (const isOwn of [true, false]) {
      for (const lockedUntil of [null, "06:27"]) {
        const always = { clientName: "X", approval: null, refusal: null, reason: null };
        const each = { ...always, noun, consent, isOwn, lockedUntil };
        for (const method of [null, ...methods]) allFacts.push({ ...each, method });
      }
    }
  }
}

test("no two causes share a title or a sentence, and no ending itself says what was paid", () => {
  const owners = new Map<string, string>();
  for (const outcome of Object.keys(endingTexts) as JourneyOutcome[]) {
    const own = Object.values(closings).filter((each) => each.outcome === outcome);
    const reasons = [null, ...own.map(({ reason }) => reason)];
    for (const facts of allFacts.flatMap((each) =>
      reasons.map((reason) => ({ ...each, reason })),
    )) {
      const { title, text } = textsOf(outcome, facts);
      for (const each of [title, text]) {
        // both locks without an end are told apart by their sentence
        if (each === "Too many tries") continue;
        assert.equal(owners.get(each) ?? outcome, outcome, each);
        owners.set(each, outcome);
        assert.doesNotMatch(each, /paid|shared/);
      }
    }
  }
  assert.deepEqual(Object.keys(endings).sort(), Object.keys(endingTexts).sort());
});

test("only a consent that was never approved lets a page say that nothing was paid", () => {
  for (const facts of allFacts) {
    const said = effectText(facts) ?? "";
    assert.equal(/paid|shared/.test(said), facts.consent === "untouched", said);
    if (facts.consent === "kept" && !facts.isOwn) assert.equal(said, "Nothing has changed.");
  }
});

const stages = ["login", "factor", "accounts", "review"] as const;
for (const kind of ["domestic-payment", "account-access"] as const) {
  for (const stage of stages) {
    test(`after an approval on another device, no page at ${stage} is shown again (${kind})`, async () => {
      const opened = await journeys.visit(kind, { review: stage === "review" });
      const { visitor, consentId } = opened;
      if (stage !== "login") await visitor.login("anna");
      if (stage === "accounts" || stage === "review") await visitor.factor();
      if (stage === "review") await visitor.submit({ account: "101", decision: "continue" });
      assert.equal(visitor.step, stage);
      const back = visitor.shown;
      const other = await elsewhere(bed, opened);
      await other.login("anna");
      await other.factor();
      await other.submit({ account: "101", decision: other.go });
      if (other.step === "review") await other.submit({ decision: "approve" });
      assert.ok((await answerOf(other)).code);
      const decided = await bed.consent(consentId);
      await visitor.open(back.url);
      assert.match(visitor.shown.body, /already (approved this|been approved)/);
      assert.doesNotMatch(visitor.shown.body, nothingDone);
      visitor.shown = back;
      await visitor.submit({ login: "anna", password: "anna-password", account: "101" });
      assert.match(visitor.shown.body, /already (approved this|been approved)/);
      assert.equal((await answerOf(visitor)).error, "access_denied");
      assert.deepEqual(await bed.consent(consentId), decided);
    });
  }
}

test("a cancellation that comes after an approval on another device does not say that nothing was paid", async () => {
  const opened = await journeys.visit("domestic-payment");
  const { visitor, consentId } = opened;
  await toApproval(visitor);
  const other = await elsewhere(bed, opened);
  await toApproval(other);
  await Promise.all([other.approve(), visitor.submit({ decision: "cancel" })]);
  const { status } = await bed.consent(consentId);
  await visitor.open(visitor.shown.url);
  assert.equal(nothingDone.test(visitor.shown.body), status === "RJCT", visitor.shown.body);
});

test("a failed renewal says that nothing has changed", async () => {
  const opened = await journeys.visit("account-access");
  await approve(opened.visitor);
  const again = await elsewhere(bed, opened);
  await again.login("anna");
  await again.submit({ decision: "cancel" });
  const kept = "Nothing has changed: Test TPP keeps the access that you gave it before.";
  assert.ok(again.shown.body.includes(kept), again.shown.body);
});

test("each wrong try says how many are left, and the one before the last what follows it", async () => {
  const { visitor } = await journeys.visit("domestic-payment");
  await visitor.login("joint");
  const said: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await visitor.submit({ code: "000000", decision: "continue" });
    said.push(/id="problem"><p>([^<]+)/.exec(visitor.shown.body)?.[1] ?? "");
  }
  assert.match(said[0] ?? "", /You have 4 more tries\.$/);
  assert.match(said[2] ?? "", /You have 2 more tries\.$/);
  assert.match(
    said[3] ?? "",
    /You have one more try\. If it is wrong too, we will stop this request/,
  );
  await visitor.factor();
  assert.equal(visitor.step, "accounts");
});

test("a locked login is told until when, as a time", async () => {
  const first = await journeys.visit("account-access");
  await wrongly(first.visitor, { login: "nobody", password: "wrong" });
  const { visitor } = await journeys.visit("account-access");
  await visitor.submit({ login: "nobody", password: "wrong", decision: "continue" });
  assert.equal(visitor.shown.status, 429);
  assert.match(visitor.shown.body, /too many attempts\. Try again after \d\d:\d\d/);
});

test("the page after an approval names the others who must approve, or says how many if the bank does not know them, and that the customer has to continue", async () => {
  const { visitor, consentId } = await journeys.visit("domestic-payment");
  await toApproval(visitor, "joint");
  await visitor.approve("301");
  const goOn =
    /<p>Please continue to Test TPP now: until you do, nobody else can approve it\.<\/p>/;
  const cases = [
    [2, null, "one other person has"],
    [3, [], "2 other people have"],
    [2, ["Ann North"], "Ann North has"],
    [2, ["Ann North", "Ben Star"], "Ann North or Ben Star has"],
    [3, ["Ann North", "Ben Star"], "Ann North and Ben Star have"],
    [3, ["Ann North", "Ben Star", "Cy Low"], "2 of Ann North, Ben Star and Cy Low have"],
  ] as const;
  for (const [required, names, who] of cases) {
    signatories = names && [...names];
    await setConsent(bed.database, consentId, { signatoriesRequired: required });
    await visitor.open(visitor.shown.url);
    assert.ok(visitor.shown.body.includes(`We will not pay until ${who} approved it too.`), who);
    assert.doesNotMatch(visitor.shown.body, /http-equiv="refresh"/, "it stays until it is read");
    assert.match(visitor.shown.body, goOn);
  }
  await setConsent(bed.database, consentId, { signatoriesRequired: 1 });
  await visitor.open(visitor.shown.url);
  assert.match(visitor.shown.body, /http-equiv="refresh"/);
  assert.doesNotMatch(visitor.shown.body, goOn);
  // once the TPP has its answer, there is nothing to continue
  await setConsent(bed.database, consentId, { signatoriesRequired: 2 });
  const ending = visitor.shown.url;
  await visitor.goBack();
  await visitor.open(ending);
  assert.match(visitor.shown.body, /We will not pay until /);
  assert.doesNotMatch(visitor.shown.body, goOn);
});
