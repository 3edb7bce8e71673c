import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setPaused } from "#src/consents/pause-consent.ts";
import { usedWithinLimits } from "#src/consents/states.ts";
import { byCustomer } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { vrpConsent } from "#test/payments/limits/vrp-bed.ts";
import { approvedAccess, openSet, poll, pollNow, revoke, subscribe, urnOf } from "./events-bed.ts";

const type = "domestic-vrp-consents";
const path = `/v4.0/pisp/${type}`;

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

/** Lodges a consent, and lets a customer approve it. Returns its id. */
async function approved(client: TppClient, path: string): Promise<string> {
  const token = await client.clientToken("payments");
  const lodged = await client.call<Json>({ path, token, body: vrpConsent() });
  expectStatus(lodged, 201);
  const consentId: string = lodged.body.Data.ConsentId;
  const accounts = [present((await bank.currentAccounts("amara"))[0], "an account").accountId];
  await bank.approve(client, { scope: "payments", consentId, customer: "amara", accounts });
  return consentId;
}

// the version of a consent, that of the registration, and where the event links to
const rows = [
  ["v3.1", "3.1.8", "v3.1", ["v3.1", "v4.0"]],
  ["v3.1", "4.0", "v4.0", ["v3.1", "v4.0"]],
  ["v4.0", "3.1.8", "v4.0", ["v4.0"]],
  ["v4.0", "4.0", "v4.0", ["v4.0"]],
] as const;
for (const [version, Version, linked, readable] of rows) {
  test(`EV-12, V-190, V-192, V-193: a TPP gets an event for the cancellation of a consent, with a link for each version that can read it, and no event for a deletion (${Version}, ${version})`, async () => {
    const path = `/${version}/pisp/${type}`;
    const client = await bank.createTpp();
    await subscribe(client, { Version });
    const consentId = await approved(client, path);
    assert.deepEqual((await pollNow(client)).sets, {});
    await revoke(bank, consentId, usedWithinLimits);
    const { sets } = await poll(client);
    const { events, sub } = await openSet(client, present(Object.values(sets)[0], "the event"));
    const linkOn = (one: string) =>
      `${bank.mtlsUrl}/api/open-banking/${one}/pisp/${type}/${consentId}`;
    const links = readable.map((one) => ({ version: one, link: linkOn(one) }));
    assert.equal(sub, linkOn(linked));
    const subject = {
      subject_type: "http://openbanking.org.uk/rid_http://openbanking.org.uk/rty",
      "http://openbanking.org.uk/rid": consentId,
      "http://openbanking.org.uk/rty": type,
      "http://openbanking.org.uk/rlk": links,
    };
    // the profile of variable recurring payments names both types
    const both = ["consent-authorization-revoked", "consent-access-revoked"].map(urnOf);
    const expected =
      Version === "4.0"
        ? [[urnOf("resource-update"), { subject }], ...both.map((urn) => [urn, {}])]
        : both.map((urn) => [urn, { subject }]);
    assert.deepEqual(events, Object.fromEntries(expected));

    const ack = Object.keys(sets);
    const token = await client.clientToken("payments");
    expectStatus(await client.call({ path: `${path}/${consentId}`, method: "DELETE", token }), 204);
    assert.deepEqual((await pollNow(client, { ack })).sets, {});
  });
}

test("EV-12, V-190: a TPP that names only Consent-Access-Revoked gets an event for a cancelled VRP consent", async () => {
  const client = await bank.createTpp();
  await subscribe(client, { EventTypes: ["UK.OBIE.Consent-Access-Revoked"] });
  const accountConsent = await approvedAccess(bank, client);
  await revoke(bank, accountConsent);
  const consentId = await approved(client, path);
  await revoke(bank, consentId, usedWithinLimits);
  const { sets, moreAvailable } = await poll(client);
  const [set, ...others] = Object.values(sets);
  assert.deepEqual([others, moreAvailable], [[], false]);
  const { events } = await openSet(client, present(set, "the event"));
  const event = events[urnOf("consent-access-revoked")];
  assert.deepEqual(Object.keys(events), [urnOf("consent-access-revoked")]);
  assert.equal(event?.subject?.["http://openbanking.org.uk/rid"], consentId);
});

test("CV-87, CV-88: a pause of a consent is no event, because the standard has none for it", async () => {
  const client = await bank.createTpp();
  await subscribe(client, { Version: "4.0" });
  const consentId = await approved(client, path);
  for (const isPaused of [true, false]) {
    const why = byCustomer(bank.clock.now());
    assert.ok(await setPaused(bank.database, { consentId }, isPaused, why));
  }
  await revoke(bank, consentId, usedWithinLimits);
  const { sets, moreAvailable } = await poll(client);
  assert.deepEqual([Object.keys(sets).length, moreAvailable], [1, false]);
});

test("EV-13, V-191: each change to a consent's account causes an event that names the consent and the reason", async () => {
  const client = await bank.createTpp();
  const EventTypes = ["UK.OBIE.Domestic-VRP-Consent-Linked-Account-Update"];
  await subscribe(client, { EventTypes });
  const consentId = await approved(client, path);
  const { accountId } = present((await bank.currentAccounts("amara"))[0], "an account");
  const link = `${bank.mtlsUrl}/api/open-banking${path}/${consentId}`;
  let ack: string[] = [];
  for (const [act, reason] of [
    ["block", "GB.Aldgate.AccountBlocked"],
    ["reopen", "GB.Aldgate.AccountOpen"],
    ["switch", "UK.OBIE.CASS"],
    ["reopen", "GB.Aldgate.AccountOpen"],
    ["close", "UK.OBIE.AccountClosure"],
    ["reopen", "GB.Aldgate.AccountOpen"],
  ] as const) {
    await bank.control("POST", `/accounts/${accountId}/${act}`, {});
    const { sets } = await poll(client, { ack });
    const [[jti, set] = [], ...others] = Object.entries(sets);
    assert.deepEqual(others, []);
    const { events, sub } = await openSet(client, present(set, "the event"));
    assert.equal(sub, link);
    const event = events[urnOf("domestic-vrp-consent-linked-account-update")] as Json;
    assert.equal(event.reason, reason);
    assert.equal(event.subject["http://openbanking.org.uk/rid"], consentId);
    assert.equal(event.subject["http://openbanking.org.uk/rty"], "domestic-vrp-consents");
    ack = [present(jti, "its id")];
  }
});
