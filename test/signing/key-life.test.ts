import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Clock, systemClock } from "#src/lib/clock.ts";
import { generateRsaKey } from "#src/sandbox/directory/keys.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { ShownKey } from "#src/signing/key-store.ts";
import { approvedAccess, poll, pollNow, revoke, subscribe } from "#test/events/events-bed.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess } from "#test/journeys/payments.ts";
import { fetchJwks, type Jwks, kidOf, kidsOf, verifyAnswer, verifyJwt } from "./verify.ts";

// The dates of keys follow the machine's clock, which this test sets forward.
let ahead = Temporal.Duration.from({ hours: 0 });
const clock: Clock = { now: () => systemClock.now().add(ahead) };
const wait = (hours: number): void => {
  ahead = ahead.add({ hours });
};

let bank: TestBank;
let client: TppClient;
before(async () => {
  // each key of this bank must be new
  bank = await openBank({}, undefined, undefined, { clock, generateKey: generateRsaKey });
  // assertions have real times
  client = await bank.createTpp({ tokenEndpointAuthMethod: "tls_client_auth" });
});
after(async () => {
  await bank?.close();
});

const list = async (): Promise<ShownKey[]> =>
  (await bank.control<{ keys: ShownKey[] }>("GET", "/signing-keys")).keys;
const inState = async (state: ShownKey["state"]): Promise<string[]> =>
  (await list()).filter((key) => key.state === state).map(({ kid }) => kid);
const change = (path: string, body: object = {}): Promise<ShownKey> =>
  bank.control<ShownKey>("POST", `/signing-keys${path}`, body);

let consentId: string;

/** Reads a consent, whose response the bank signs. */
async function read() {
  consentId ??= (await lodge(client)).consentId;
  const token = await client.clientToken("payments");
  return client.call({ path: `/v4.0/pisp/domestic-payment-consents/${consentId}`, token });
}

/** Makes the bank sign everything that it signs. Returns the keys, after verifying with `jwks`. */
async function signAll(jwks: Jwks): Promise<Set<string>> {
  const kids = new Set([await verifyAnswer(jwks, await read())]);
  const access = await lodgeAccess(client);
  const authorizationUrl = await client.authorizationUrl({ scope: "accounts", consentId: access });
  const { redirectUrl: returned } = await bank.decide({
    authorizationUrl,
    customer: "amara",
    decision: "approve",
  });
  const fragment = new URLSearchParams(new URL(returned).hash.slice(1));
  kids.add(await verifyJwt(jwks, fragment.get("id_token")));
  kids.add(await verifyJwt(jwks, (await client.exchangeCode(returned)).id_token));
  const jarm = await client.authorizationUrl({
    scope: "accounts",
    consentId: await lodgeAccess(client),
    overrides: { response_type: "code", response_mode: "jwt" },
  });
  const url = new URL(jarm);
  url.searchParams.set("response_type", "code");
  const { redirectUrl: answered } = await bank.decide({
    authorizationUrl: url.href,
    customer: "amara",
    decision: "approve",
  });
  kids.add(await verifyJwt(jwks, new URL(answered).searchParams.get("response")));
  return kids;
}

test("K-001, K-002: a new key is published with its certificate before it signs, and its date cannot be less than 24 hours after publication", async () => {
  const first = await inState("current");
  assert.equal(first.length, 1);
  const added = await change("");
  assert.equal(added.state, "standby");
  const jwks = await fetchJwks(client);
  assert.deepEqual(kidsOf(jwks), [...first, added.kid]);
  for (const { x5c, ...members } of jwks.keys) {
    assert.equal(x5c?.length, 2);
    assert.deepEqual(Object.keys(members).sort(), ["alg", "e", "kid", "kty", "n", "use"]);
  }
  assert.deepEqual([...(await signAll(jwks))], first);
  const soon = clock.now().add({ hours: 23 }).toString();
  await assert.rejects(change("/rotation", { at: soon }), /TPPs may not know the key/);
  const planned = await change("/rotation");
  assert.equal(planned.state, "next");
  const { publishedFrom, activeFrom } = planned;
  const lead = Temporal.Instant.from(activeFrom ?? "").since(publishedFrom);
  assert.equal(lead.total("hours"), 24);
  assert.deepEqual([...(await signAll(jwks))], first);
});

test("K-003: on its date a key replaces the current key for every signature, and the JWKS of the day before verifies these signatures", async () => {
  const [old = ""] = await inState("current");
  const [next] = await inState("next");
  const before = await fetchJwks(client);
  const answered = await read();
  wait(25);
  assert.deepEqual([...(await signAll(before))], [next]);
  const now = await fetchJwks(client);
  assert.deepEqual(kidsOf(now), [next, old]);
  assert.equal(await verifyAnswer(now, answered), old);
});

test("K-004: a retired key is published for 30 days and then no longer", async () => {
  const [retired = ""] = await inState("retired");
  wait(29 * 24);
  assert.ok(kidsOf(await fetchJwks(client)).includes(retired));
  wait(2 * 24);
  assert.equal(kidsOf(await fetchJwks(client)).includes(retired), false);
  assert.deepEqual(await inState("ended"), [retired]);
});

test("K-004: an id_token of a retired key is accepted as id_token_hint", async () => {
  const access = await lodgeAccess(client);
  const grant = { scope: "accounts", customer: "amara" } as const;
  const { id_token: hint } = await bank.approve(client, { ...grant, consentId: access });
  const next = await change("");
  wait(25);
  await change("/rotation", { kid: next.kid });
  wait(1);
  assert.notEqual(kidOf(String(hint)), next.kid);
  const overrides = { id_token_hint: hint };
  const authorizationUrl = await client.authorizationUrl({
    scope: "accounts",
    consentId: await lodgeAccess(client),
    overrides,
  });
  const { redirectUrl: returned } = await bank.decide({
    authorizationUrl,
    customer: "amara",
    decision: "approve",
  });
  const fragment = new URLSearchParams(new URL(returned).hash.slice(1));
  assert.equal(kidOf(String(fragment.get("id_token"))), next.kid);
});

test("EV-16, K-005: an event keeps the signature of a retired key, and gets a new one when the key is withdrawn", async () => {
  await subscribe(client, {
    EventTypes: ["urn:uk:org:openbanking:events:consent-authorization-revoked"],
  });
  await revoke(bank, await approvedAccess(bank, client));
  const tokenOf = async (): Promise<string> => Object.values((await pollNow(client)).sets)[0] ?? "";
  const signed = Object.values((await poll(client)).sets)[0] ?? "";
  const [old = ""] = await inState("current");
  assert.equal(await verifyJwt(await fetchJwks(client), signed), old);
  const next = await change("");
  wait(25);
  await change("/rotation", { kid: next.kid });
  wait(1);
  assert.deepEqual(await inState("current"), [next.kid]);
  assert.equal(await tokenOf(), signed);
  const withdrawn = await change(`/${old}/withdrawal`);
  assert.equal(withdrawn.state, "withdrawn");
  const jwks = await fetchJwks(client);
  assert.equal(kidsOf(jwks).includes(old), false);
  assert.equal(await verifyJwt(jwks, await tokenOf()), next.kid);
});

test("K-005: a withdrawn current key is replaced immediately by the next key, and is no longer published", async () => {
  const standby = await change("");
  const [current = ""] = await inState("current");
  await change(`/${current}/withdrawal`);
  const jwks = await fetchJwks(client);
  assert.equal(kidsOf(jwks)[0], standby.kid);
  assert.equal(kidsOf(jwks).includes(current), false);
  assert.deepEqual([...(await signAll(jwks))], [standby.kid]);
});

test("K-002: in an emergency a new key signs after 15 seconds", async () => {
  const next = await change("");
  const planned = await change("/rotation", { kid: next.kid, now: true });
  assert.equal(planned.state, "next");
  const jwks = await fetchJwks(client);
  ahead = ahead.add({ seconds: 16 });
  assert.deepEqual([...(await signAll(jwks))], [next.kid]);
});

test("a key on standby and a planned key can be retired before they sign", async () => {
  const [current] = await inState("current");
  const one = await change("");
  await change("/rotation", { kid: one.kid });
  await assert.rejects(change(`/${current}/retirement`), /The bank signs with the key/);
  assert.equal((await change(`/${one.kid}/retirement`)).state, "ended");
  wait(25);
  assert.deepEqual(await inState("current"), [current]);
  const now = (await list()).find(({ kid }) => kid === current);
  assert.equal(now?.publishedUntil, null);
  await assert.rejects(change(`/${one.kid}/retirement`), /is ended/);
  await assert.rejects(change("/unknown/withdrawal"), /There is no key unknown/);
});
