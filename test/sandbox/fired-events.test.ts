import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { eventTypes } from "#src/standard/shared/events/event-types.ts";
import {
  approvedAccess,
  callbackUrls,
  openSet,
  poll,
  pollNow,
  type SetClaims,
  subscribe,
  urnOf,
} from "#test/events/events-bed.ts";
import { accepted, notifications, openReceiver } from "#test/events/receiver.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { runCommand } from "#test/server/run-command.ts";
import { type Caller, callerOf, expectRefusal } from "./caller.ts";

let bank: TestBank;
let call: Caller;
let accountId: string;
before(async () => {
  bank = await openBank();
  call = callerOf(bank);
  accountId = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
});
after(() => bank?.close());

const fire = (id: string, body: object = {}) =>
  bank.control<{ status: string }>("POST", `/objects/${id}/fire-event`, body);

async function nextEvent(client: TppClient): Promise<SetClaims> {
  const { sets } = await poll(client);
  const [[jti, token] = [], ...more] = Object.entries(sets);
  assert.deepEqual(more, []);
  await pollNow(client, { ack: [present(jti, "its id")] });
  return openSet(client, present(token, "the event"));
}

test("an event of each type is fired about a consent or an account that has not changed", async () => {
  const client = await bank.createTpp();
  await subscribe(client);
  const consentId = await approvedAccess(bank, client, "v4.0", [accountId]);
  for (const { code, urn, name } of eventTypes) {
    const isAccount = name.endsWith("-linked-account-update");
    const id = isAccount ? accountId : consentId;
    if (name === "domestic-vrp-consent-linked-account-update") {
      await expectRefusal(await call("POST", `/objects/${id}/fire-event`, { type: code }), 409);
      continue;
    }
    assert.deepEqual(await fire(id, { type: code }), { id, status: "1 event fired" });
    const { events, sub } = await nextEvent(client);
    assert.deepEqual(Object.keys(events), [urn]);
    assert.ok(sub?.endsWith(`/account-access-consents/${consentId}`));
    assert.equal(events[urn]?.subject?.["http://openbanking.org.uk/rid"], id);
  }
  const { body } = await client.call<{ Data: { Status: string } }>({
    path: `/v4.0/aisp/account-access-consents/${consentId}`,
    token: await client.clientToken("accounts"),
  });
  assert.equal(body.Data.Status, "AUTH");
});

test("fired events of one consent come in their order, and a real one still comes after them", async () => {
  const client = await bank.createTpp();
  await subscribe(client);
  const consentId = await approvedAccess(bank, client);
  await fire(consentId);
  await fire(consentId, { type: "UK.OBIE.Consent-Authorization-Revoked" });
  await bank.control("POST", `/consents/${consentId}/revoke`, {});
  const { events } = await bank.control<{ events: { types: string[] }[] }>(
    "GET",
    `/tpps/${client.tpp.clientId}/events`,
  );
  assert.deepEqual(
    events.slice(-2).map(({ types }) => types),
    [["consent-authorization-revoked"], ["resource-update"]],
  );
  const found: string[] = [];
  while (found.length < 3) {
    const { sets } = await poll(client);
    for (const set of Object.values(sets)) {
      found.push(
        Object.keys((await openSet(client, set)).events)
          .toSorted()
          .join(" "),
      );
    }
    await pollNow(client, { ack: Object.keys(sets) });
  }
  const [update = "", revoked = ""] = ["resource-update", "consent-authorization-revoked"].map(
    urnOf,
  );
  assert.deepEqual(found, [update, revoked, `${revoked} ${update}`]);
});

test("a fired event is sent to a registered URL", async () => {
  const client = await bank.createTpp();
  const receiver = await openReceiver(accepted);
  try {
    const registered = await client.call({
      path: callbackUrls,
      token: await client.clientToken("accounts"),
      body: { Data: { Url: `${receiver.url}${notifications}`, Version: "4.0" } },
    });
    expectStatus(registered, 201);
    const consentId = await approvedAccess(bank, client);
    await fire(consentId);
    const [first] = await receiver.arrived(1);
    const { sub } = await openSet(client, present(first, "the event").body);
    assert.ok(sub?.endsWith(consentId));
  } finally {
    await receiver.close();
  }
});

test("an event that nobody would get, or that fits no such object, is refused with the reason", async () => {
  const client = await bank.createTpp();
  const consentId = await approvedAccess(bank, client);
  const ask = (id: string, body: object) => call("POST", `/objects/${id}/fire-event`, body);
  await expectRefusal(await ask("none", {}), 404);
  await expectRefusal(await ask("amara", {}), 404);
  await expectRefusal(await ask(consentId, { type: "Other" }), 400);
  const unregistered = await ask(consentId, {});
  assert.match((await expectRefusal(unregistered, 409)).message, /create an event subscription/);
  await subscribe(client, { EventTypes: ["UK.OBIE.Resource-Update"] });
  const type = "UK.OBIE.Consent-Authorization-Revoked";
  assert.match(
    (await expectRefusal(await ask(consentId, { type }), 409)).message,
    /has not subscribed/,
  );
  const about = "UK.OBIE.Account-Access-Consent-Linked-Account-Update";
  const misplaced = await ask(consentId, { type: about });
  assert.match((await expectRefusal(misplaced, 409)).message, /about an account/);
});

test("a command fires an event", async () => {
  const client = await bank.createTpp();
  await subscribe(client);
  const consentId = await approvedAccess(bank, client);
  const line = `act fire-event ${consentId} --type UK.OBIE.Resource-Update`;
  const { printed } = await runCommand(line, { PUBLIC_URL: bank.publicUrl });
  assert.equal(printed, `${consentId}: 1 event fired`);
  assert.ok((await nextEvent(client)).sub?.endsWith(consentId));
});
