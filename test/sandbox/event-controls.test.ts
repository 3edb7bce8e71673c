import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { EventReceiver, ShownEvent } from "#src/events/stored-events.ts";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { approvedAccess, openSet, poll, pollNow, subscribe } from "#test/events/events-bed.ts";
import { accepted, openReceiver } from "#test/events/receiver.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge } from "#test/journeys/payments.ts";
import { type Caller, callerOf, expectRefusal } from "./caller.ts";

let bank: TestBank;
let call: Caller;
before(async () => {
  bank = await openBank();
  call = callerOf(bank);
});
after(() => bank?.close());

async function revoked(client: TppClient): Promise<string> {
  const consentId = await approvedAccess(bank, client);
  const path = `/consents/${consentId}/revoke`;
  assert.deepEqual(await bank.control("POST", path, {}), { id: consentId, status: "CANC" });
  return consentId;
}

const eventsOf = async ({ tpp }: TppClient): Promise<ShownEvent[]> =>
  (await bank.control<{ events: ShownEvent[] }>("GET", `/tpps/${tpp.clientId}/events`)).events;

const resend = ({ tpp }: TppClient, body: object): Promise<unknown> =>
  bank.control("POST", `/tpps/${tpp.clientId}/events/resend`, body);

async function receiverOf({ tpp }: TppClient): Promise<EventReceiver> {
  const { receivers } = await bank.control<{ receivers: EventReceiver[] }>("GET", "/events");
  const found = receivers.find(({ clientId }) => clientId === tpp.clientId);
  return present(found, "the TPP");
}

test("EV-22, EV-23: an undelivered event is listed with its failure, and sent again with the same bytes", async () => {
  const receiver = await openReceiver(() => ({ status: 404 }));
  const client = await bank.createTpp();
  await subscribe(client, { CallbackUrl: receiver.url });
  const consentId = await revoked(client);
  await receiver.arrived(1);
  await poll(client);
  const [event, ...more] = await eventsOf(client);
  assert.deepEqual(more, []);
  assert.deepEqual(event, {
    jti: event?.jti,
    occurredAt: event?.occurredAt,
    state: "undelivered",
    types: ["resource-update", "consent-authorization-revoked"],
    objectKind: "consent",
    objectId: consentId,
    attempts: 1,
    nextTryAt: null,
    settledAt: null,
    error: { status: 404, reason: "answered 404, not 202" },
  });
  const { waiting, undelivered, status } = await receiverOf(client);
  assert.deepEqual([waiting, undelivered, status], [0, 1, "active"]);

  receiver.answer = accepted;
  assert.deepEqual(await resend(client, {}), { count: 1 });
  const [first, second] = await receiver.arrived(2);
  assert.equal(second?.body, first?.body);
  assert.deepEqual(await resend(client, {}), { count: 0 });
  await receiver.close();
});

test("EV-22: an operator can resend the accepted events of the last few days, or events chosen by id", async () => {
  const client = await bank.createTpp();
  await subscribe(client);
  const consents = [await revoked(client), await revoked(client)];
  let sets: Record<string, string> = {};
  while (Object.keys(sets).length < 2) ({ sets } = await poll(client));
  const ack = Object.keys(sets);
  assert.deepEqual((await pollNow(client, { ack })).sets, {});
  assert.ok((await eventsOf(client)).every(({ state }) => state === "accepted"));
  assert.deepEqual(await resend(client, { days: 30 }), { count: 2 });
  assert.deepEqual((await pollNow(client)).sets, sets);
  await pollNow(client, { ack });
  assert.deepEqual(await resend(client, { jtis: ack.slice(1) }), { count: 1 });
  const again = Object.entries((await pollNow(client)).sets);
  assert.deepEqual(again, Object.entries(sets).slice(1));
  const { sub } = await openSet(client, present(again[0]?.[1], "the event"));
  assert.ok(sub?.endsWith(consents[1] ?? ""));
});

test("EV-22: the events of a TPP without a registration cannot be sent again", async () => {
  const client = await bank.createTpp();
  for (const id of [client.tpp.clientId, "none", "a%20b"]) {
    await expectRefusal(await call("POST", `/tpps/${id}/events/resend`, {}), 404);
  }
  await subscribe(client);
  const path = `/tpps/${client.tpp.clientId}/events/resend`;
  for (const body of [{ days: 0 }, { days: 91 }, { jtis: [] }, { days: 1, jtis: ["a"] }]) {
    await expectRefusal(await call("POST", path, body), 400);
  }
});

test("the sandbox withdraws a consent only if a customer could", async () => {
  const client = await bank.createTpp();
  const consentId = await revoked(client);
  await expectRefusal(await call("POST", `/consents/${consentId}/revoke`, {}), 409);
  const { consentId: once } = await lodge(client);
  await expectRefusal(await call("POST", `/consents/${once}/revoke`, {}), 409);
  for (const id of ["none", "a%20b"]) {
    await expectRefusal(await call("POST", `/consents/${id}/revoke`, {}), 404);
  }
});
