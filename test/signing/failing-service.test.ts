import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { approvedAccess, poll, pollNow, revoke, subscribe } from "#test/events/events-bed.ts";
import { openReceiver } from "#test/events/receiver.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, submit } from "#test/journeys/payments.ts";
import { countOrders } from "#test/payments/stored-orders.ts";
import { until } from "#test/until.ts";
import { type FakeRemote, failures, startFakeRemote } from "./fake-remote.ts";
import { fetchJwks, verifyAnswer, verifyJwt } from "./verify.ts";

let service: FakeRemote;
let bank: TestBank;
let client: TppClient;
before(async () => {
  service = await startFakeRemote();
  bank = await openBank({
    SIGNING_SERVICE_URL: service.url,
    SIGNING_KEY: "service:bank",
  });
  client = await bank.createTpp();
});
after(async () => {
  await bank?.close();
  await service?.close();
});

/** Makes the service work, and waits until the bank no longer pauses its calls. */
async function repair(): Promise<void> {
  service.mode = "works";
  const { store } = bank.signing;
  const sign = () => store.ring.current().sign(Buffer.from("probe"));
  await until(() => sign().catch(() => null), Boolean);
}

function expectUnsigned(answer: Answer): void {
  assert.equal(answer.status, 503, answer.raw.toString());
  assert.equal(answer.raw.length, 0);
  assert.equal(answer.headers["x-jws-signature"], undefined);
  assert.match(String(answer.headers["retry-after"]), /^\d+$/);
}

for (const mode of failures) {
  test(`P-024, K-007: if the signing service fails, an order gets 503 without a body, and a repeat with its key gets the signed 201 (${mode})`, async () => {
    await repair();
    const lodged = await lodge(client);
    const { consentId } = lodged;
    const grant = { scope: "payments", consentId, customer: "amara" } as const;
    const { access_token: token } = await bank.approve(client, grant);
    const key = randomUUID();
    service.mode = mode;
    expectUnsigned(await submit(client, lodged, token, key));
    assert.equal(await countOrders(bank.database, consentId), 1);
    await repair();
    const answer = await submit(client, lodged, token, key);
    assert.equal(answer.status, 201);
    await verifyAnswer(await fetchJwks(client), answer);
    assert.equal(await countOrders(bank.database, consentId), 1);
  });
}

test("P-024, K-007: a refusal that cannot be signed is 503 without a body", async () => {
  await repair();
  service.mode = "returns 500";
  const token = await client.clientToken("payments");
  const path = "/v4.0/pisp/domestic-payment-consents/unknown";
  expectUnsigned(await client.call({ path, token }));
  await repair();
});

test("K-007: a code whose id_token could not be signed can be sent again", async () => {
  await repair();
  const consentId = await lodgeAccess(client);
  const authorizationUrl = await client.authorizationUrl({ scope: "accounts", consentId });
  const { redirectUrl: redirect } = await bank.decide({
    authorizationUrl,
    customer: "amara",
    decision: "approve",
  });
  const [redirect_uri = "", fragment] = redirect.split("#");
  const code = new URLSearchParams(fragment).get("code") ?? "";
  const form = { grant_type: "authorization_code", code, redirect_uri };
  service.mode = "returns 500";
  for (let turn = 0; turn < 2; turn += 1) {
    const refused = await client.tokenAnswer(form);
    assert.equal(refused.status, 503, refused.raw.toString());
    assert.equal((refused.body as { error: string }).error, "temporarily_unavailable");
    assert.match(String(refused.headers["retry-after"]), /^\d+$/);
  }
  await repair();
  const tokens = await client.token(form);
  await verifyJwt(await fetchJwks(client), tokens.id_token);
  const accounts = await client.call({ path: "/v3.1/aisp/accounts", token: tokens.access_token });
  assert.equal(accounts.status, 200);
  const again = await client.tokenAnswer(form);
  assert.equal((again.body as { error: string }).error, "invalid_grant");
});

test("an authorization whose id_token cannot be signed returns the customer with temporarily_unavailable", async () => {
  await repair();
  const consentId = await lodgeAccess(client);
  const authorizationUrl = await client.authorizationUrl({ scope: "accounts", consentId });
  service.mode = "hangs";
  const { redirectUrl: redirect } = await bank.decide({
    authorizationUrl,
    customer: "amara",
    decision: "approve",
  });
  const fragment = new URLSearchParams(new URL(redirect).hash.slice(1));
  assert.equal(fragment.get("error"), "temporarily_unavailable");
  assert.equal(fragment.get("code"), null);
  await repair();
});

test("EV-22, K-007: an event that cannot be signed waits for the signing service", async () => {
  await repair();
  await subscribe(client);
  await revoke(bank, await approvedAccess(bank, client));
  service.mode = "returns 500";
  const token = await client.clientToken("accounts");
  const body = { returnImmediately: true };
  // the event is collected at some point, and no poll returns it unsigned
  for (let turn = 0; turn < 10; turn += 1) {
    const answer = await client.call({ path: "/v4.0/events", token, body });
    if (answer.status !== 200) break;
    assert.deepEqual((answer.body as { sets: object }).sets, {});
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await repair();
  const { sets } = await poll(client);
  await verifyJwt(await fetchJwks(client), Object.values(sets)[0]);
  assert.deepEqual((await pollNow(client)).sets, sets);
});

test("EV-22, K-007: an event for a callback URL is sent as soon as the signing service works again", async () => {
  await repair();
  const receiver = await openReceiver();
  try {
    const tpp = await bank.createTpp();
    await subscribe(tpp, { CallbackUrl: receiver.url });
    const consentId = await approvedAccess(bank, tpp);
    service.mode = "returns 500";
    const asked = service.asked;
    await revoke(bank, consentId);
    // the bank asks for the event's signature, again and again
    while (service.asked < asked + 3) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(receiver.received.length, 0);
    await repair();
    const [request] = await receiver.arrived(1);
    await verifyJwt(await fetchJwks(tpp), request?.body);
  } finally {
    await receiver.close();
  }
});

test("a service that fails repeatedly is asked once per second", async () => {
  await repair();
  service.mode = "returns 500";
  const sign = () => bank.signing.store.ring.current().sign(Buffer.from("message"));
  for (let turn = 0; turn < 4; turn += 1) await assert.rejects(sign(), /the status is 500/);
  const pausedAt = performance.now();
  await assert.rejects(sign(), /the status is 500/);
  const { asked } = service;
  for (let turn = 0; turn < 20; turn += 1) await assert.rejects(sign(), /paused|500/);
  const seconds = (performance.now() - pausedAt) / 1000;
  assert.ok(service.asked - asked <= seconds, `${service.asked - asked} calls in ${seconds} s`);
  await repair();
});

test("the metrics count the signatures of the service and name the key that signs", async () => {
  const text = await (await fetch(`${bank.managementUrl}/metrics`)).text();
  const { kid } = bank.signing.store.ring.current();
  assert.match(text, new RegExp(`aldgate_signing_key_current\\{kid="${kid}"\\} 1`));
  assert.match(text, /aldgate_signing_key_certificate_days\{kid="[^"]+"\} 39\d/);
  for (const outcome of ["signed", "failed"]) {
    const count = `aldgate_signing_service_duration_seconds_count\\{outcome="${outcome}"\\} [1-9]`;
    assert.match(text, new RegExp(count));
  }
});
