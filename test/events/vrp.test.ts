import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { moveConsent, type StatusReason } from "#src/consents/consent.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { byCustomer } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { vrpConsent } from "#test/payments/limits/vrp-bed.ts";
import { openSet, poll, pollNow, subscribe, urnOf } from "./events-bed.ts";

const type = "domestic-vrp-consents";
const path = `/v4.0/pisp/${type}`;

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

// the version of a consent, that of the registration, and where the event links to
const rows = [
  ["v3.1", "3.1.8", "v3.1", ["v3.1", "v4.0"]],
  ["v3.1", "4.0", "v4.0", ["v3.1", "v4.0"]],
  ["v4.0", "3.1.8", "v4.0", ["v4.0"]],
  ["v4.0", "4.0", "v4.0", ["v4.0"]],
] as const;
for (const [version, Version, linked, readable] of rows) {
  test(`V-190, V-192, V-193: a TPP gets an event for the cancellation of a consent, with a link for each version that can read it, and no event for a deletion (${Version}, ${version})`, async () => {
    const path = `/${version}/pisp/${type}`;
    const client = await bank.createTpp();
    await subscribe(client, { Version });
    const token = await client.clientToken("payments");
    const accounts = [present((await bank.currentAccounts("amara"))[0], "an account").accountId];
    const lodged = await client.call<Json>({ path, token, body: vrpConsent() });
    expectStatus(lodged, 201);
    const consentId: string = lodged.body.Data.ConsentId;
    await bank.approve(client, { scope: "payments", consentId, customer: "amara", accounts });
    assert.deepEqual((await pollNow(client)).sets, {});

    const why = byCustomer(bank.clock.now());
    const reasons: StatusReason[] = [
      { StatusReasonCode: "CUST", StatusReasonDescription: "Cancelled." },
    ];
    await moveConsent(bank.database, { consentId }, usedWithinLimits, "revoke", reasons, why);
    const { sets } = await poll(client);
    const { events, sub } = await openSet(client, present(Object.values(sets)[0], "the event"));
    const linkOn = (one: string) =>
      `${bank.mtlsUrl}/api/open-banking/${one}/pisp/${type}/${consentId}`;
    const links = readable.map((one) => ({ version: one, link: linkOn(one) }));
    assert.equal(sub, linkOn(linked));
    const revoked = "consent-authorization-revoked";
    assert.ok(urnOf(revoked) in events);
    // the names of v4 have the subject in the other event
    const subject = events[urnOf(Version === "4.0" ? "resource-update" : revoked)]?.subject;
    assert.equal(subject?.["http://openbanking.org.uk/rty"], type);
    assert.equal(subject?.["http://openbanking.org.uk/rid"], consentId);
    assert.deepEqual(subject?.["http://openbanking.org.uk/rlk"], links);

    const ack = Object.keys(sets);
    expectStatus(await client.call({ path: `${path}/${consentId}`, method: "DELETE", token }), 204);
    assert.deepEqual((await pollNow(client, { ack })).sets, {});
  });
}

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
