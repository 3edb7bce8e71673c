import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "#src/storage/sql.ts";
import {
  type PastAuthorisation,
  readAuthorisations,
  setConsent,
} from "#test/consents/stored-rows.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, openJourneys, toApproval } from "./journeys.ts";
import { Visitor } from "./visitor.ts";

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  bed = await openAuthBed();
  journeys = await openJourneys(bed);
});
after(() => bed.close());

test("A-111: re-authentication does not ask for accounts, and replaces the grant", async () => {
  const { consentId, visitor, url } = await journeys.visit("account-access");
  await toApproval(visitor);
  await visitor.approve();
  const tokens = await journeys.tpp.exchangeCode(await visitor.goBack());
  const before = await bed.consent(consentId);
  const again = new Visitor(bed);
  await again.open(url);
  await again.login("anna");
  assert.deepEqual([again.step, again.go], ["factor", "approve"]);
  assert.match(again.shown.body, /What Test TPP can see</);
  await again.factor();
  for (const { body } of [again.shown, await again.open(again.shown.url)]) {
    assert.match(body, /<h1>Sharing continues</);
    assert.match(body, /You continue to allow Test TPP to see information about one of your/);
  }
  const fresh = await journeys.tpp.exchangeCode(await again.goBack());
  const now = await bed.consent(consentId);
  assert.notEqual(now.grant, before.grant);
  assert.deepEqual(now.accounts, before.accounts);
  assert.ok((await journeys.tpp.refresh(fresh.refresh_token ?? "")).access_token);
  await assert.rejects(journeys.tpp.refresh(tokens.refresh_token ?? ""), /invalid_grant/);
});

test("each authorisation is stored with what the customer confirmed, and how it ended", async () => {
  const { consentId, visitor, url } = await journeys.visit("account-access");
  await toApproval(visitor);
  await visitor.approve();
  const again = new Visitor(bed);
  await again.open(url);
  await again.login("anna");
  await again.factor();
  const { grant, customer } = await bed.consent(consentId);
  const [first, second, ...others] = await readAuthorisations(bed.database, consentId);
  assert.deepEqual(others, []);
  assert.deepEqual([first?.ending, second?.ending], ["replaced", null]);
  assert.equal(second?.grantId, grant);
  for (const given of [first, second]) {
    assert.equal(given?.customerId, customer);
    assert.equal(given?.acr, "urn:openbanking:psd2:sca");
    assert.deepEqual(given?.amr, ["pwd", "otp", "mfa"]);
    const confirmed = await bed.database.query(sql`
      select 1 from login_challenge where challenge_id = ${challengeOf(given)}
        and subject_hash = ${given?.showings[0]?.subjectHash} and spent_at is not null`);
    assert.equal(confirmed.length, 1);
  }
  assert.notEqual(challengeOf(first), challengeOf(second));
});

const challengeOf = (given: PastAuthorisation | undefined) =>
  given?.showings.find(({ answer }) => answer?.challengeId)?.answer?.challengeId;

const failedAgain: [title: string, leave: (visitor: Visitor) => Promise<unknown>][] = [
  ["that is cancelled", (visitor) => visitor.submit({ decision: "cancel" })],
  [
    "by another customer",
    async (visitor) => {
      await visitor.login("anna");
      assert.equal(visitor.go, "continue", "another customer's consent is not shown");
      await visitor.factor();
    },
  ],
  [
    "that takes too long",
    async (visitor) => {
      bed.advance({ minutes: 16 });
      await visitor.open(visitor.shown.url);
    },
  ],
];
for (const [title, leave] of failedAgain) {
  test(`A-107: a failed re-authentication leaves the consent authorised (${title})`, async () => {
    const { consentId, visitor, url } = await journeys.visit("account-access");
    await visitor.login("joint");
    await visitor.factor();
    await visitor.approve("301");
    assert.ok((await answerOf(visitor)).code);
    const before = await bed.consent(consentId);
    const again = new Visitor(bed);
    await again.open(url);
    await leave(again);
    assert.equal((await answerOf(again)).error, "access_denied");
    assert.deepEqual(await bed.consent(consentId), before);
  });
}

const insisted: [title: string, login: string, error: string | undefined][] = [
  ["accepts the same customer", "anna", undefined],
  ["refuses another customer, and the consent does not change", "ben", "login_required"],
];
for (const [title, login, error] of insisted) {
  test(`an id_token_hint ${title}`, async () => {
    const first = await journeys.visit("account-access");
    await toApproval(first.visitor);
    await first.visitor.approve();
    const { id_token: hint } = await answerOf(first.visitor);
    const consentId = await bed.lodge(journeys.tpp, "domestic-payment");
    const scope = "payments";
    const visitor = new Visitor(bed);
    const overrides = { id_token_hint: hint };
    await visitor.open(await journeys.tpp.authorizationUrl({ scope, consentId, overrides }));
    await visitor.login(login);
    await visitor.factor();
    if (error === undefined) return assert.equal(visitor.step, "accounts");
    assert.equal((await answerOf(visitor)).error, error);
    assert.equal((await bed.consent(consentId)).status, "AWAU");
  });
}

test("the customer who logs in must be the sub that the claims parameter names", async () => {
  const consentId = await bed.lodge(journeys.tpp, "domestic-payment");
  const claims = {
    id_token: { openbanking_intent_id: { value: consentId }, sub: { value: "cust-anna" } },
  };
  const overrides = { claims };
  const scope = "payments";
  const visitor = new Visitor(bed);
  await visitor.open(await journeys.tpp.authorizationUrl({ scope, consentId, overrides }));
  await visitor.login("ben");
  await visitor.factor();
  assert.equal((await answerOf(visitor)).error, "login_required");
});

test("A-104: a customer who stopped an access can grant it again for the same consent", async () => {
  const { consentId, visitor, url } = await journeys.visit("account-access");
  await toApproval(visitor);
  await visitor.approve();
  const tokens = await journeys.tpp.exchangeCode(await visitor.goBack());
  const own = new Visitor(bed);
  await own.open(`${bed.publicUrl}/bank/login`);
  await own.login("anna");
  await own.factor();
  await own.open(`${bed.publicUrl}/bank/connections/${consentId}`);
  await own.submit({ decision: "stop" });
  await assert.rejects(journeys.tpp.refresh(tokens.refresh_token ?? ""), /invalid_grant/);
  const again = new Visitor(bed);
  await again.open(url);
  await again.login("anna");
  await again.factor();
  assert.equal(again.step, "review", "the accounts that it covers are shown again");
  await again.approve();
  assert.match(again.shown.body, /<h1>Approved</, "it did not continue meanwhile");
  assert.match(again.shown.body, /You allowed Test TPP/);
  assert.ok((await journeys.tpp.exchangeCode(await again.goBack())).access_token);
  assert.equal((await bed.consent(consentId)).status, "AUTH");
});

test("a page that nobody has stored is in the evidence without a time", async () => {
  const { consentId, visitor } = await journeys.visit("account-access");
  await visitor.login("anna");
  await visitor.factor();
  assert.equal(visitor.step, "accounts");
  // as a process of an earlier release leaves it
  await bed.database.query(sql`
    update journey set showings = '[]' where consent_id = ${consentId}`);
  bed.advance({ minutes: 1 });
  await visitor.approve("101");
  const [given] = await readAuthorisations(bed.database, consentId);
  assert.deepEqual(
    given?.showings.map(({ step, at, answer }) => [step, at, answer?.decision]),
    [["accounts", null, "approve"]],
  );
});

test("deleting a consent during its journey ends the journey with access_denied", async () => {
  const { consentId, visitor } = await journeys.visit("account-access");
  await toApproval(visitor);
  await setConsent(bed.database, consentId, { deletedAt: bed.clock.now() });
  await visitor.approve();
  assert.equal((await answerOf(visitor)).error, "access_denied");
});
