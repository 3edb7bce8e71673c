import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Bank } from "#src/bank/port.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import {
  anna,
  type BackchannelBed,
  begin,
  expectError,
  openBackchannelBed,
} from "./backchannel-bed.ts";
import { Visitor } from "./visitor.ts";

// What a customer's own login and the requests that TPPs begin without a browser do to one another.

const ben = "cust-ben";
const named = { debtor: "20201012345101" };

// the core says what a customer has answered only after `held`
const core = { asked: 0, held: Promise.resolve() };

let bed: BackchannelBed;
let tpp: TppClient;
before(async () => {
  const challengeResult: Bank["challengeResult"] = async (challengeId) => {
    core.asked += 1;
    await core.held;
    return bed.inApp.calls.challengeResult(challengeId);
  };
  bed = await openBackchannelBed({ bank: { challengeResult } });
});
after(() => bed?.close());
// so that no test reaches the limit of another
beforeEach(async () => {
  bed.advance({ hours: 25 });
  await bed.auth.sweep();
  tpp = await bed.createTpp();
});

/** Asks for a payment with a hint. */
async function pay(customerId: string, client = tpp) {
  const consentId = await bed.lodge(client, "domestic-payment", { data: named });
  const claims = await bed.hint(customerId);
  return client.backchannel({ scope: "payments", consentId, claims });
}

/** Enters the right password at the bank's own login. */
async function logIn(login: string): Promise<Visitor> {
  const visitor = new Visitor(bed);
  await visitor.open(`${bed.publicUrl}/bank/login`);
  await visitor.login(login);
  return visitor;
}

test("CB-09: requests of TPPs that a customer leaves unanswered do not lock the bank's own login", async () => {
  for (const client of [tpp, await bed.createTpp()]) {
    for (let turn = 0; turn < 5; turn += 1) assert.equal((await pay(ben, client)).status, 200);
  }
  bed.advance({ minutes: 11 });
  expectError(await pay(ben, await bed.createTpp()), 403, "access_denied");
  const visitor = await logIn("ben");
  assert.ok(visitor.isInApp, visitor.shown.body);
  await visitor.factor();
  // a right answer ends the wait of the TPPs, too
  assert.equal((await pay(ben, await bed.createTpp())).status, 200);
});

test("CB-09: requests of TPPs that a customer declines do not lock the bank's own login", async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    assert.equal((await pay(ben)).status, 200);
    await bed.answer("declined");
  }
  const visitor = await logIn("ben");
  assert.ok(visitor.isInApp, visitor.shown.body);
  await visitor.factor();
  assert.equal(visitor.isInApp, false, visitor.shown.body);
});

for (const [answer, how] of [
  ["declined", "a refusal"],
  ["altered", "an approval of something else"],
] as const) {
  test(`CB-47: the TPP learns of ${how} that the bank's own login has read first`, async () => {
    const consentId = await bed.lodge(tpp, "domestic-payment", { data: named });
    const claims = await bed.hint(anna);
    const { auth_req_id } = await begin(tpp, { scope: "payments", consentId, claims });
    bed.answerInApp(answer);
    await logIn("anna");
    await bed.backchannel.run();
    expectError(await tpp.poll(auth_req_id), 400, "access_denied");
    assert.equal((await bed.consent(consentId)).status, "RJCT");
  });
}

test("a refusal that a new request has read ends the page that waits for it", async () => {
  const first = await logIn("anna");
  assert.ok(first.isInApp, first.shown.body);
  bed.answerInApp("declined");
  const second = await logIn("anna");
  assert.ok(second.isInApp, second.shown.body);
  await first.open(first.shown.url);
  assert.equal(first.isInApp, false, first.shown.body);
  assert.doesNotMatch(first.shown.body, /ended before you answered/);
});

test("SCA-RTS 4(3)(b): a refusal that two requests read at once counts once", async () => {
  for (let turn = 0; turn < 3; turn += 1) {
    const page = await logIn("anna");
    assert.ok(page.isInApp, page.shown.body);
    bed.answerInApp("declined");
    const { asked } = core;
    const { promise, resolve } = Promise.withResolvers<void>();
    core.held = promise;
    const both = Promise.all([page.open(page.shown.url), logIn("anna")]);
    while (core.asked < asked + 2) await new Promise((done) => setImmediate(done));
    resolve();
    await both;
  }
  const next = await logIn("anna");
  assert.ok(next.isInApp, next.shown.body);
});
