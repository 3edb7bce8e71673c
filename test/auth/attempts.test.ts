import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listAttempts } from "#src/consents/authorisations.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, openJourneys, toApproval } from "./journeys.ts";
import { Visitor } from "./visitor.ts";

// What customers were shown who did not approve is kept, but not without limit.

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  bed = await openAuthBed();
  journeys = await openJourneys(bed);
});
after(() => bed.close());

/** Opens an access to accounts again. Returns the customer at the page of the login. */
async function again(consentId: string): Promise<Visitor> {
  const visitor = new Visitor(bed);
  await visitor.open(await journeys.tpp.authorizationUrl({ scope: "accounts", consentId }));
  return visitor;
}

test("of the attempts to renew a consent, the latest 20 are kept", async () => {
  const { consentId, visitor } = await journeys.visit("account-access");
  await toApproval(visitor);
  await visitor.approve();
  const ends: string[] = [];
  for (let turn = 0; turn < 23; turn += 1) {
    bed.advance({ hours: 1 });
    const renewing = await again(consentId);
    await renewing.login("anna");
    await renewing.submit({ decision: "cancel" });
    assert.equal((await answerOf(renewing)).error, "access_denied");
    ends.push(bed.clock.now().round("hour").toString());
  }
  const kept = await listAttempts(bed.database, consentId);
  assert.deepEqual(
    kept.map(({ endedAt, ending }) => [endedAt.round("hour").toString(), ending]),
    ends.slice(-20).map((end) => [end, "cancelled"]),
  );
});

test("an attempt is not kept of a customer who approves the consent in another window", async () => {
  const { consentId, visitor } = await journeys.visit("account-access");
  const other = await again(consentId);
  for (const one of [visitor, other]) await toApproval(one);
  await other.approve();
  await visitor.approve();
  assert.match(visitor.shown.body, /already approved/);
  assert.deepEqual(await listAttempts(bed.database, consentId), []);
});
