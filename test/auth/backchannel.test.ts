import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { decodeJwt } from "jose";
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

// How a TPP polls for the tokens of a request that it began without a browser.

let bed: BackchannelBed;
let tpp: TppClient;
before(async () => {
  bed = await openBackchannelBed();
  tpp = await bed.createTpp();
});
after(() => bed?.close());
// so that the tests do not reach the limit of requests that a customer has not approved
beforeEach(() => bed.advance({ hours: 1 }));

const payment = () => bed.lodge(tpp, "domestic-payment", { data: { debtor: "20201012345101" } });

/** Begins the request of a payment whose account the TPP has named. */
async function pay(claims: Record<string, unknown> = {}) {
  const consentId = await payment();
  const given = { ...(await bed.hint(anna)), ...claims };
  const begun = await begin(tpp, { scope: "payments", consentId, claims: given });
  return { consentId, ...begun, id: begun.auth_req_id };
}

test("CB-43: an accepted request is answered with an unguessable id, its lifetime and the interval", async () => {
  const { consentId: _, auth_req_id, id: __, ...rest } = await pay();
  assert.match(auth_req_id, /^[A-Za-z0-9._-]{43}$/);
  assert.deepEqual(rest, { expires_in: 300, interval: 5 });
});

test("CB-47, CB-48: a TPP polls until the customer has approved in the app, and gets the tokens once", async () => {
  const { consentId, id } = await pay();
  expectError(await tpp.poll(id), 400, "authorization_pending");
  await bed.answer("approved");
  assert.equal((await bed.consent(consentId)).status, "AUTH");
  const tokens = await tokensOf(tpp, id);
  assert.equal(tokens.scope, "openid payments");
  expectError(await tpp.poll(id), 400, "invalid_grant");
  // a second poll does not end the tokens of the first one
  const info = await tpp.call({ path: `${bed.mtlsUrl}/me`, token: tokens.access_token });
  assert.equal(info.status, 200, info.raw.toString());
});

test("CB-54, CB-64, CB-82: the id_token names the customer, the consent and what the app really used", async () => {
  const { consentId, id } = await pay({ acr_values: "urn:openbanking:psd2:sca" });
  await bed.answer("approved");
  const { id_token = "" } = await tokensOf(tpp, id);
  const claims = await tpp.verifyToken(id_token);
  assert.equal(claims.sub, anna);
  assert.equal(claims.openbanking_intent_id, consentId);
  assert.equal(claims.acr, "urn:openbanking:psd2:sca");
  // nobody has asked for a password
  assert.deepEqual(claims.amr, ["hwk", "fpt", "mfa"]);
  assert.ok(Math.abs(Number(claims.auth_time) - Number(claims.iat)) < 60);
  assert.equal(decodeJwt(id_token)["urn:openid:params:jwt:claim:auth_req_id"], undefined);
  const [given] = await readAuthorisations(bed.database, consentId);
  assert.equal(given?.method, "decoupled");
  assert.deepEqual(given?.amr, ["hwk", "fpt", "mfa"]);
});

test("CB-47: a poll that comes too early is slow_down, and makes the interval 5 seconds longer", async () => {
  const { id } = await pay();
  expectError(await tpp.poll(id), 400, "authorization_pending");
  expectError(await tpp.poll(id), 400, "slow_down");
  bed.advance({ seconds: 5 });
  expectError(await tpp.poll(id), 400, "slow_down");
  bed.advance({ seconds: 15 });
  expectError(await tpp.poll(id), 400, "authorization_pending");
  // the answer does not wait for the interval
  await bed.answer("approved");
  await tokensOf(tpp, id);
});

test("CB-47, CB-90: a refusal in the app is access_denied at every poll, and rejects the consent", async () => {
  const { consentId, id } = await pay();
  await bed.answer("declined");
  expectError(await tpp.poll(id), 400, "access_denied");
  expectError(await tpp.poll(id), 400, "access_denied");
  const { status, reasons } = await bed.consent(consentId);
  assert.deepEqual([status, reasons[0]?.code], ["RJCT", "U033"]);
});

test("CB-42, CB-47, CB-90: a request ends at the time that the TPP asked for, and its consent with it", async () => {
  const { consentId, id, expires_in } = await pay({ requested_expiry: "10" });
  assert.equal(expires_in, 10);
  bed.advance({ seconds: 11 });
  expectError(await tpp.poll(id), 400, "expired_token");
  await bed.auth.sweep();
  expectError(await tpp.poll(id), 400, "expired_token");
  const { status, reasons } = await bed.consent(consentId);
  assert.deepEqual([status, reasons[0]?.code], ["RJCT", "U036"]);
  // an answer after the end changes nothing
  await bed.answer("approved");
  assert.equal((await bed.consent(consentId)).status, "RJCT");
});

const expiries: [asked: unknown, given: number][] = [
  [120, 120],
  ["120", 120],
  [1, 10],
  [3600, 600],
];
for (const [asked, given] of expiries) {
  test(`CB-42, CB-93: a request for ${JSON.stringify(asked)} seconds lives for ${given}`, async () => {
    assert.equal((await pay({ requested_expiry: asked })).expires_in, given);
  });
}

test("an approval in the last second can still be fetched", async () => {
  const { id } = await pay();
  bed.advance({ seconds: 295 });
  await bed.answer("approved");
  bed.advance({ seconds: 60 });
  await tokensOf(tpp, id);
});

test("CB-47: the id of another client is invalid_grant, and its polls do not slow the owner down", async () => {
  const other = await bed.createTpp();
  const { id } = await pay();
  expectError(await other.poll(id), 400, "invalid_grant");
  expectError(await tpp.poll(id), 400, "authorization_pending");
  await bed.answer("approved");
  expectError(await other.poll(id), 400, "invalid_grant");
  await tokensOf(tpp, id);
  expectError(await tpp.poll("unknown"), 400, "invalid_grant");
  expectError(await tpp.tokenAnswer({ grant_type: ciba }), 400, "invalid_request");
});

const ciba = "urn:openid:params:grant-type:ciba";

test("CB-48: of many polls at once after the approval, one gets tokens, and they stay good", async () => {
  const { consentId, id } = await pay();
  await bed.answer("approved");
  const answers = await Promise.all(Array.from({ length: 6 }, () => tpp.poll(id)));
  const [got = { body: {} }, ...more] = answers.filter(({ status }) => status === 200);
  assert.equal(more.length, 0);
  for (const answer of answers) {
    if (answer.status !== 200) expectError(answer, 400, "invalid_grant");
  }
  const { access_token = "" } = got.body as { access_token?: string };
  const info = await tpp.call({ path: `${bed.mtlsUrl}/me`, token: access_token });
  assert.equal(info.status, 200, info.raw.toString());
  assert.equal((await bed.consent(consentId)).status, "AUTH");
});

test("CB-46: the tokens are bound to the client's certificate", async () => {
  const { id } = await pay();
  await bed.answer("approved");
  const { access_token } = await tokensOf(tpp, id);
  const other = await bed.createTpp();
  const foreign = await other.call({ path: `${bed.mtlsUrl}/me`, token: access_token });
  assert.equal(foreign.status, 401);
});

test("an access consent gives a refresh token, which works", async () => {
  const expiresAt = bed.clock.now().add({ hours: 2000 });
  const consentId = await bed.lodge(tpp, "account-access", { expiresAt });
  const claims = await bed.hint(anna);
  const { auth_req_id } = await begin(tpp, { scope: "accounts", consentId, claims });
  await bed.answer("approved");
  // the app goes on with the choice of accounts
  expectError(await tpp.poll(auth_req_id), 400, "authorization_pending");
  const journeyId = await bed.journeyOf(consentId);
  const { shownHash } = await bed.app.show(journeyId);
  const decision = { decision: "approve", customerId: anna, shownHash } as const;
  await bed.app.decide(journeyId, { ...decision, accountIds: ["101"] });
  const { refresh_token = "" } = await tokensOf(tpp, auth_req_id);
  assert.ok((await tpp.refresh(refresh_token)).access_token);
  assert.deepEqual((await bed.consent(consentId)).accounts, ["101"]);
});
