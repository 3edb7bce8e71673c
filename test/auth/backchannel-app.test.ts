import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Bank } from "#src/bank/port.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { readAuthorisations } from "#test/consents/stored-rows.ts";
import {
  anna,
  type BackchannelBed,
  begin,
  expectError,
  openBackchannelBed,
  tokensOf,
} from "./backchannel-bed.ts";
import { paperBank } from "./paper-bank.ts";

// How the customer goes through a journey that a TPP has begun, in the bank's app.

const ben = "cust-ben";

// what the core does with the next challenge, in place of a request in the app
const core: { challenge: "in the app" | "code" | "down" } = { challenge: "in the app" };

let bed: BackchannelBed;
let tpp: TppClient;
before(async () => {
  const challenge: Bank["challenge"] = async (...given) => {
    if (core.challenge === "down") throw new Unavailable("core", "the core is down", {});
    if (core.challenge === "code") return paperBank.challenge(...given);
    return bed.inApp.calls.challenge(...given);
  };
  const confirmPayee: Bank["confirmPayee"] = async () => ({
    result: "close match",
    name: "Acme Ltd",
  });
  // a core that does not look which of its ids it gets
  const loadCustomer: Bank["loadCustomer"] = (id) =>
    paperBank.loadCustomer(id.replace("login-", "cust-"));
  bed = await openBackchannelBed({ bank: { challenge, confirmPayee, loadCustomer } });
  tpp = await bed.createTpp();
});
after(() => bed?.close());
// so that the tests do not reach the limit of requests that a customer has not approved
beforeEach(() => {
  bed.advance({ hours: 1 });
  core.challenge = "in the app";
});

test("an id by which the core returns a customer with another one is no customer's", async () => {
  await assert.rejects(
    bed.app.identify({ customerId: "login-anna" }),
    /customerId is not the id of a customer/,
  );
});

type Data = Record<string, unknown>;
const named = { debtor: "20201012345101" };

/** Begins the request of a payment. */
async function pay(data: Data = named, customerId = anna, client = tpp) {
  const consentId = await bed.lodge(client, "domestic-payment", { data });
  const claims = await bed.hint(customerId);
  const { auth_req_id } = await begin(client, { scope: "payments", consentId, claims });
  return { consentId, id: auth_req_id, journeyId: await bed.journeyOf(consentId) };
}

/** Decides in the app, on what the journey shows now. */
async function decide(journeyId: string, given: { accountIds?: string[]; customerId?: string }) {
  const { shownHash } = await bed.app.show(journeyId);
  const decision = { decision: "approve", customerId: anna, shownHash, ...given } as const;
  return bed.app.decide(journeyId, decision);
}

test("an approval in the app alone pays from the account that the TPP has named", async () => {
  const { consentId, id } = await pay();
  await bed.answer("approved");
  await tokensOf(tpp, id);
  assert.deepEqual((await bed.consent(consentId)).accounts, ["101"]);
});

test("CB-27: the app lists the accounts, and the customer chooses one after the approval", async () => {
  const { consentId, id, journeyId } = await pay({});
  await bed.answer("approved");
  expectError(await tpp.poll(id), 400, "authorization_pending");
  const { accounts } = await bed.app.listAccounts(journeyId, anna);
  assert.deepEqual(
    accounts.map(({ accountId, unavailable }) => [accountId, unavailable]),
    [
      ["101", null],
      ["102", "Payments cannot be made from savings."],
    ],
  );
  await assert.rejects(decide(journeyId, { accountIds: ["102"] }), /Choose one account/);
  const { journey, redirectTo } = await decide(journeyId, { accountIds: ["101"] });
  assert.equal(journey?.outcome, "approved");
  assert.equal(redirectTo, null);
  await tokensOf(tpp, id);
  assert.deepEqual((await bed.consent(consentId)).accounts, ["101"]);
});

test("the app can decide as soon as its customer has answered: the core is asked at once", async () => {
  const { id, journeyId } = await pay({});
  await assert.rejects(decide(journeyId, { accountIds: ["101"] }), /has not approved/);
  bed.inApp.answer("approved"); // no time passes
  await decide(journeyId, { accountIds: ["101"] });
  await tokensOf(tpp, id);
});

test("what the account adds is shown in the app, and decided a second time", async () => {
  const { id, journeyId } = await pay({ review: true });
  await bed.answer("approved");
  const first = await decide(journeyId, { accountIds: ["101"] });
  assert.equal(first.journey?.outcome, null);
  const second = await decide(journeyId, {});
  assert.equal(second.journey?.outcome, "approved");
  await tokensOf(tpp, id);
});

test("CB-04: the app gets the warning about the payee's name with the request, and the evidence has it", async () => {
  const warning = {
    title: "The account is in the name of Acme Ltd",
    text: "That is close to Acme, but not the same. Continue only if this is who you want to pay.",
  };
  const { consentId, journeyId } = await pay({ ...named, payee: "Acme" });
  assert.deepEqual(bed.challenges.at(-1)?.journey?.warning, warning);
  assert.deepEqual((await bed.app.show(journeyId)).warning, warning);
  await bed.answer("approved");
  await decide(journeyId, {});
  const [given] = await readAuthorisations(bed.database, consentId);
  const shown = given?.showings.map(({ step, shown }) => [step, Object(shown).warning ?? null]);
  assert.deepEqual(
    shown,
    ["payee check", "factor", "review"].map((step) => [step, warning]),
  );
});

test("another customer can neither approve nor cancel, and the app can cancel for its customer", async () => {
  const { consentId, id, journeyId } = await pay({});
  const cancel = (more: { customerId?: string }) =>
    bed.app.decide(journeyId, { decision: "cancel", ...more });
  for (const answer of [null, "approved"] as const) {
    if (answer !== null) await bed.answer(answer);
    for (const other of [{}, { customerId: ben }]) {
      await assert.rejects(cancel(other), /customerId/);
    }
    expectError(await tpp.poll(id), 400, "authorization_pending");
    bed.advance({ seconds: 10 });
  }
  await assert.rejects(decide(journeyId, { customerId: ben, accountIds: ["201"] }), /customerId/);
  await cancel({ customerId: anna });
  expectError(await tpp.poll(id), 400, "access_denied");
  assert.equal((await bed.consent(consentId)).status, "RJCT");
});

test("CB-90: the time of the request ends the choice of accounts too", async () => {
  const { consentId, id } = await pay({});
  bed.advance({ seconds: 200 });
  await bed.answer("approved");
  bed.advance({ seconds: 100 });
  expectError(await tpp.poll(id), 400, "expired_token");
  await bed.backchannel.run();
  assert.equal((await bed.consent(consentId)).status, "RJCT");
});

test("an approval of something else ends the request", async () => {
  const { consentId, id } = await pay();
  await bed.answer("altered");
  expectError(await tpp.poll(id), 400, "access_denied");
  assert.equal((await bed.consent(consentId)).status, "RJCT");
});

test("CB-86: without a hint, the customer scans the consent's id in the app, once", async () => {
  const consentId = await bed.lodge(tpp, "domestic-payment", { data: named });
  const asked = bed.challenges.length;
  const { auth_req_id: id } = await begin(tpp, { scope: "payments", consentId });
  assert.equal(bed.challenges.length, asked);
  expectError(await tpp.poll(id), 400, "authorization_pending");
  await assert.rejects(bed.app.scan({ consentId: "another", customerId: ben }), /No TPP waits/);
  await assert.rejects(bed.app.scan({ consentId, customerId: "nobody" }), /not the id/);
  const { journey } = await bed.app.scan({ consentId, customerId: anna });
  assert.equal(journey?.consentId, consentId);
  await assert.rejects(bed.app.scan({ consentId, customerId: ben }), /No TPP waits/);
  await bed.answer("approved");
  const { id_token = "" } = await tokensOf(tpp, id);
  assert.equal((await tpp.verifyToken(id_token)).sub, anna);
});

test("CB-82: a consent of one customer is not offered to another, who is not asked", async () => {
  const expiresAt = bed.clock.now().add({ hours: 2000 });
  const consentId = await bed.lodge(tpp, "account-access", { expiresAt });
  const claims = await bed.hint(anna);
  await begin(tpp, { scope: "accounts", consentId, claims });
  await bed.answer("approved");
  await decide(await bed.journeyOf(consentId), { accountIds: ["101"] });
  const asked = bed.challenges.length;
  const other = await bed.hint(ben);
  const answer = await tpp.backchannel({ scope: "accounts", consentId, claims: other });
  expectError(answer, 403, "access_denied");
  assert.equal(bed.challenges.length, asked);
  assert.equal((await bed.consent(consentId)).status, "AUTH");
});

test("CB-94: an authorised consent is authorised again, and a refusal leaves it as it is", async () => {
  const expiresAt = bed.clock.now().add({ hours: 2000 });
  const consentId = await bed.lodge(tpp, "account-access", { expiresAt });
  const first = await begin(tpp, {
    scope: "accounts",
    consentId,
    claims: await bed.hint(anna),
  });
  await bed.answer("approved");
  await decide(await bed.journeyOf(consentId), { accountIds: ["101"] });
  const { id_token } = await tokensOf(tpp, first.auth_req_id);
  const claims = { id_token_hint: id_token };
  const refused = await begin(tpp, { scope: "accounts", consentId, claims });
  await bed.answer("declined");
  expectError(await tpp.poll(refused.auth_req_id), 400, "access_denied");
  assert.equal((await bed.consent(consentId)).status, "AUTH");
  const again = await begin(tpp, { scope: "accounts", consentId, claims });
  await bed.answer("approved");
  // the accounts were chosen before
  await tokensOf(tpp, again.auth_req_id);
  assert.deepEqual((await bed.consent(consentId)).accounts, ["101"]);
  assert.equal((await readAuthorisations(bed.database, consentId)).length, 2);
});

test("CB-09: after five requests of a client without an approval, the customer is not asked by it", async () => {
  const client = await bed.createTpp();
  for (let turn = 0; turn < 5; turn += 1) await pay(named, anna, client);
  const asked = bed.challenges.length;
  const refusedPay = async () => {
    const consentId = await bed.lodge(client, "domestic-payment", { data: named });
    const claims = await bed.hint(anna);
    const answer = await client.backchannel({ scope: "payments", consentId, claims });
    expectError(answer, 403, "access_denied");
    assert.equal((await bed.consent(consentId)).status, "AWAU");
  };
  await refusedPay();
  assert.equal(bed.challenges.length, asked);
  // another client is not to blame, and an hour later the client may ask again
  await pay(named, anna);
  await bed.answer("approved");
  bed.advance({ minutes: 61 });
  const { id } = await pay(named, anna, client);
  await bed.answer("approved");
  await tokensOf(client, id);
});

test("CB-09: after ten requests of all clients without an approval, the customer is left alone", async () => {
  const [one, two, three] = [await bed.createTpp(), await bed.createTpp(), await bed.createTpp()];
  for (const client of [one, two]) {
    for (let turn = 0; turn < 5; turn += 1) await pay(named, ben, client);
  }
  const consentId = await bed.lodge(three, "domestic-payment", { data: named });
  const claims = await bed.hint(ben);
  const answer = await three.backchannel({ scope: "payments", consentId, claims });
  expectError(answer, 403, "access_denied");
  assert.equal((await bed.consent(consentId)).status, "AWAU");
});

test("a customer who cannot be asked in the app is refused, and the consent can go another way", async () => {
  core.challenge = "code";
  const consentId = await bed.lodge(tpp, "domestic-payment", { data: named });
  const claims = await bed.hint(anna);
  const answer = await tpp.backchannel({ scope: "payments", consentId, claims });
  expectError(answer, 403, "access_denied");
  assert.equal((await bed.consent(consentId)).status, "AWAU");
  core.challenge = "in the app";
  const again = { scope: "payments", consentId, claims: await bed.hint(anna) } as const;
  await begin(tpp, again);
});

test("while the core is down, a request gets 503 and can be sent again", async () => {
  core.challenge = "down";
  const consentId = await bed.lodge(tpp, "domestic-payment", { data: named });
  const claims = await bed.hint(anna);
  const answer = await tpp.backchannel({ scope: "payments", consentId, claims });
  expectError(answer, 503, "temporarily_unavailable");
  assert.ok(Number(answer.headers["retry-after"]) > 0);
  core.challenge = "in the app";
  await begin(tpp, { scope: "payments", consentId, claims: await bed.hint(anna) });
});

test("an outage of the core while the customer decides loses nothing", async () => {
  const { id } = await pay();
  await bed.answer("unreachable");
  expectError(await tpp.poll(id), 400, "authorization_pending");
  await bed.answer("approved");
  await tokensOf(tpp, id);
});

test("a browser cannot open the journey, and its own journey of the consent can win", async () => {
  const { consentId, id, journeyId } = await pay();
  const page = await tpp.send(`${bed.publicUrl}/journey/${journeyId}`, "GET", undefined, {});
  assert.equal(page.status, 400);
  const authorizationUrl = await tpp.authorizationUrl({ scope: "payments", consentId });
  await bed.app.begin({ authorizationUrl });
  await bed.answer("approved");
  await tokensOf(tpp, id);
});
