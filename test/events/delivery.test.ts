import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { present } from "#src/lib/assert.ts";
import { issueLeaf } from "#src/sandbox/directory/authority.ts";
import { generateEcKey } from "#src/sandbox/directory/keys.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { sql } from "#src/storage/sql.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import {
  approvedAccess,
  openSet,
  poll,
  pollNow,
  revoke,
  subscribe,
  subscriptions,
  urnOf,
} from "./events-bed.ts";
import { accepted, notifications, openReceiver, type Receiver } from "./receiver.ts";

let bank: TestBank;
const receivers: Receiver[] = [];
before(async () => {
  bank = await openBank();
});
after(async () => {
  for (const receiver of receivers) await receiver.close();
  await bank?.close();
});

const open = async (...given: Parameters<typeof openReceiver>): Promise<Receiver> => {
  const receiver = await openReceiver(...given);
  receivers.push(receiver);
  return receiver;
};

async function revoked(client: TppClient): Promise<string> {
  const consentId = await approvedAccess(bank, client);
  await revoke(bank, consentId);
  return consentId;
}

/** A TPP whose events are sent to a receiver. */
async function subscribed(...given: Parameters<typeof openReceiver>) {
  const receiver = await open(...given);
  const client = await bank.createTpp();
  const id = await subscribe(client, { CallbackUrl: receiver.url });
  return { receiver, client, id };
}

// Without the header, the bank might send the event again during the test, on a busy machine.
const later = { status: 503, headers: { "retry-after": "3600" } };

/** A TPP whose receiver has got one event, and has answered with this. */
async function answered(reply: { status: number; headers?: Record<string, string> }) {
  const opened = await subscribed(() => reply);
  await revoked(opened.client);
  await opened.receiver.arrived(1);
  return opened;
}

async function changeUrl(client: TppClient, id: string, CallbackUrl: string): Promise<void> {
  const data = { EventSubscriptionId: id, CallbackUrl, Version: "4.0" };
  const token = await client.clientToken("accounts");
  const path = `${subscriptions}/${id}`;
  expectStatus(await client.call({ method: "PUT", path, token, body: { Data: data } }), 200);
}

const jtiOf = async (client: TppClient, token: string): Promise<string> =>
  present((await openSet(client, token)).jti, "jti");

const none = { moreAvailable: false, sets: {} };

/** Resolves when the bank has stored this many events as accepted. */
async function settled(client: TppClient, count: number): Promise<void> {
  for (;;) {
    const events = await bank.database.query(sql`
      select jti from event where client_id = ${client.tpp.clientId} and state = 'accepted'`);
    if (events.length >= count) return;
    await setTimeout(20);
  }
}

test("EV-08, EV-19: an event is sent to the callback URL once, as a signed SET with its ids", async () => {
  const { receiver, client } = await subscribed();
  const consentId = await revoked(client);
  const [first] = await receiver.arrived(1);
  const { method, path, headers, body } = present(first, "a request");
  const claims = await openSet(client, body);
  assert.deepEqual([method, path], ["POST", notifications]);
  assert.equal(headers["content-type"], "application/jwt");
  assert.equal(headers["x-fapi-interaction-id"], claims.jti);
  assert.equal(headers["x-fapi-financial-id"], "0015800001ALDGATE1");
  assert.ok(claims.sub?.endsWith(`/account-access-consents/${consentId}`));
  assert.ok(claims.events[urnOf("consent-authorization-revoked")]);
  await revoked(client);
  await receiver.arrived(2);
  const ids = await Promise.all(receiver.received.map(({ body }) => jtiOf(client, body)));
  assert.equal(new Set(ids).size, 2);
  assert.deepEqual(await pollNow(client), none);
});

test("EV-10: after a 503, an event is sent again byte for byte, and can be polled in the meantime", async () => {
  const { receiver, client } = await answered({ status: 503 });
  const { sets } = await poll(client);
  receiver.answer = accepted;
  await bank.advance("PT13S");
  const [first, second] = await receiver.arrived(2);
  assert.deepEqual(second?.body, first?.body);
  assert.equal(second?.headers["x-fapi-interaction-id"], first?.headers["x-fapi-interaction-id"]);
  assert.deepEqual(Object.values(sets), [first?.body]);
});

test("EV-31, EV-19: an event that is acknowledged in a poll is not sent to the callback URL again", async () => {
  const { receiver, client } = await answered(later);
  const ack = Object.keys((await poll(client)).sets);
  assert.deepEqual(await pollNow(client, { ack }), none);
  receiver.answer = accepted;
  await bank.advance("P1D");
  await revoked(client);
  const [, second] = await receiver.arrived(2);
  assert.ok(!ack.includes(await jtiOf(client, present(second, "the later event").body)));
});

const final: [string, number, Record<string, string>][] = [
  ["400", 400, {}],
  ["200, which is not 202,", 200, {}],
  ["a redirect", 302, { location: "/elsewhere" }],
];
for (const [name, status, headers] of final) {
  test(`EV-10: an event that is answered with 200, 400 or a redirect is not sent again, and can be polled (${name})`, async () => {
    const { receiver, client } = await answered({ status, headers });
    const { sets } = await poll(client);
    receiver.answer = accepted;
    await bank.advance("P1D");
    await revoked(client);
    const [first, second, ...more] = await receiver.arrived(2);
    assert.deepEqual(Object.values(sets), [first?.body]);
    assert.notEqual(second?.body, first?.body);
    assert.deepEqual(more, []);
    assert.ok(receiver.received.every(({ path }) => path === notifications));
    assert.deepEqual((await pollNow(client)).sets, sets);
  });
}

test("EV-10: after a 410, events can be polled, and are not sent again until the URL is changed", async () => {
  const { receiver, client, id } = await answered({ status: 410 });
  await poll(client);
  await revoked(client);
  for (let polled = 0; polled < 2; ) polled = Object.keys((await poll(client)).sets).length;
  assert.equal(receiver.received.length, 1);
  receiver.answer = accepted;
  await changeUrl(client, id, receiver.url);
  await receiver.arrived(3);
});

test("EV-19: an endpoint that never answers gets five requests at a time, and other TPPs still get their events", async () => {
  let mostAtOnce = 0;
  const dead = await open(() => {
    mostAtOnce = Math.max(mostAtOnce, dead.open.size + 1);
    return null;
  });
  const [client, other] = [await bank.createTpp(), await bank.createTpp()];
  const receiver = await open();
  await subscribe(client, { CallbackUrl: dead.url });
  await subscribe(other, { CallbackUrl: receiver.url });
  for (let made = 0; made < 8; made++) await revoked(client);
  await dead.arrived(5);
  for (let made = 1; made <= 3; made++) {
    await revoked(other);
    await receiver.arrived(made);
  }
  assert.equal(mostAtOnce, 5);
  await dead.close();
});

test("EV-34: events of a deleted subscription are not sent again", async () => {
  const { receiver, client, id } = await answered(later);
  const token = await client.clientToken("accounts");
  expectStatus(await client.call({ method: "DELETE", path: `${subscriptions}/${id}`, token }), 204);
  receiver.answer = accepted;
  await bank.advance("P1D");
  await subscribe(client, { CallbackUrl: receiver.url });
  await revoked(client);
  const [first, second] = await receiver.arrived(2);
  assert.notEqual(second?.body, first?.body);
});

test("EV-02: after an event subscription without a URL replaces a callback URL, events can be polled and are not sent", async () => {
  const receiver = await open(() => later);
  const client = await bank.createTpp();
  const token = await client.clientToken("accounts");
  const body = { Data: { Url: receiver.url, Version: "3.1" } };
  expectStatus(await client.call({ path: "/v4.0/callback-urls", token, body }), 201);
  await revoked(client);
  const [first] = await receiver.arrived(1);
  const { events } = await openSet(client, present(first, "a request").body);
  assert.deepEqual(Object.keys(events), [urnOf("resource-update")]);
  await subscribe(client);
  await bank.advance("P1D");
  assert.deepEqual(Object.values((await poll(client)).sets), [first?.body]);
  assert.equal(receiver.received.length, 1);
});

/** A host's certificate from the sandbox's directory, with its key. */
async function pairFor(host: string): Promise<{ key: string; cert: string }> {
  const { authority } = present(bank.sandbox, "the sandbox").directory;
  const { privateKeyPem: key } = await generateEcKey();
  const subject = [{ attribute: "CN" as const, value: host }];
  const leaf = { subject, subjectKeyPem: key, use: "server" as const, hosts: [host] };
  return { key, cert: issueLeaf(authority, leaf) };
}

test("EV-03: events are sent over TLS, and only to a host whose certificate has a trusted root", async () => {
  const { receiver, client, id } = await subscribed(accepted, await pairFor("localhost"));
  await revoked(client);
  await receiver.arrived(1);
  await settled(client, 1);

  const other = await open(accepted, await pairFor("tpp.example"));
  await changeUrl(client, id, other.url);
  await revoked(client);
  await poll(client);
  assert.equal(other.received.length, 0);
});
