import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { moveConsent } from "#src/consents/consent.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { byCustomer } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { vrpConsent } from "#test/payments/limits/vrp-bed.ts";
import { openSet, poll, pollNow, subscribe, urnOf } from "./events-bed.ts";

const path = "/v4.0/pisp/domestic-vrp-consents";

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

test("V-190, V-192, V-193: a customer's cancellation of a consent is an event with the consent's link, and a deletion is not an event", async () => {
  const client = await bank.createTpp();
  await subscribe(client);
  const token = await client.clientToken("payments");
  const accounts = [present((await bank.currentAccounts("amara"))[0], "an account").accountId];
  const lodged = await client.call<Json>({ path, token, body: vrpConsent() });
  expectStatus(lodged, 201);
  const consentId: string = lodged.body.Data.ConsentId;
  await bank.approve(client, { scope: "payments", consentId, customer: "amara", accounts });
  assert.deepEqual((await pollNow(client)).sets, {});

  const why = byCustomer(bank.clock.now());
  const reasons = [{ StatusReasonCode: "CUST", StatusReasonDescription: "Cancelled." }];
  await moveConsent(bank.database, { consentId }, usedWithinLimits, "revoke", reasons, why);
  const { sets } = await poll(client);
  const { events, sub } = await openSet(client, present(Object.values(sets)[0], "the event"));
  const link = `${bank.mtlsUrl}/api/open-banking${path}/${consentId}`;
  assert.equal(sub, link);
  assert.ok(urnOf("consent-authorization-revoked") in events);
  const subject = events[urnOf("resource-update")]?.subject;
  assert.equal(subject?.["http://openbanking.org.uk/rty"], "domestic-vrp-consents");
  assert.equal(subject?.["http://openbanking.org.uk/rid"], consentId);
  assert.deepEqual(subject?.["http://openbanking.org.uk/rlk"], [{ version: "v4.0", link }]);

  const ack = Object.keys(sets);
  expectStatus(await client.call({ path: `${path}/${consentId}`, method: "DELETE", token }), 204);
  assert.deepEqual((await pollNow(client, { ack })).sets, {});
});

test("EV-13, V-191: the closing of a consent's account is an event that names the consent and the reason", async () => {
  const client = await bank.createTpp();
  const EventTypes = ["UK.OBIE.Domestic-VRP-Consent-Linked-Account-Update"];
  await subscribe(client, { EventTypes });
  const token = await client.clientToken("payments");
  const { accountId } = present((await bank.currentAccounts("amara"))[0], "an account");
  const lodged = await client.call<Json>({ path, token, body: vrpConsent() });
  expectStatus(lodged, 201);
  const consentId: string = lodged.body.Data.ConsentId;
  const accounts = [accountId];
  await bank.approve(client, { scope: "payments", consentId, customer: "amara", accounts });
  await bank.control("PUT", `/accounts/${accountId}/state`, { state: "closed" });
  const { sets } = await poll(client);
  const { events, sub } = await openSet(client, present(Object.values(sets)[0], "the event"));
  const link = `${bank.mtlsUrl}/api/open-banking${path}/${consentId}`;
  assert.equal(sub, link);
  const event = events[urnOf("domestic-vrp-consent-linked-account-update")] as Json;
  assert.equal(event.reason, "UK.OBIE.AccountClosure");
  assert.equal(event.subject["http://openbanking.org.uk/rid"], consentId);
  assert.equal(event.subject["http://openbanking.org.uk/rty"], "domestic-vrp-consents");
  await bank.control("PUT", `/accounts/${accountId}/state`, { state: "open" });
});
