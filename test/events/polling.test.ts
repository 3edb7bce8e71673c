import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
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

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

const none = { moreAvailable: false, sets: {} };

/** Causes this many events for a TPP, and returns the consents that they are about. */
async function revokeSome(client: TppClient, count: number): Promise<string[]> {
  const consents: string[] = [];
  for (let made = 0; made < count; made++) consents.push(await approvedAccess(bank, client));
  for (const consentId of consents) await revoke(bank, consentId);
  return consents;
}

/** Polls until there are this many events. Returns all of them. */
async function pollAll(client: TppClient, count: number): Promise<Record<string, string>> {
  for (;;) {
    const { sets } = await poll(client);
    if (Object.keys(sets).length === count) return sets;
  }
}

test("EV-12, EV-29, EV-06, EV-32: a poll waits for a revocation, and the SET has the standard's form", async () => {
  const client = await bank.createTpp();
  await subscribe(client);
  const consentId = await approvedAccess(bank, client);
  assert.deepEqual(await pollNow(client), none);
  const waiting = poll(client);
  await revoke(bank, consentId);
  const { moreAvailable, sets } = await waiting;
  assert.equal(moreAvailable, false);
  const [[jti, token] = [], ...more] = Object.entries(sets);
  assert.deepEqual(more, []);
  const claims = await openSet(client, present(token, "the signed event"));
  const link = `${bank.mtlsUrl}/api/open-banking/v4.0/aisp/account-access-consents/${consentId}`;
  assert.equal(claims.jti, jti);
  assert.equal(claims.txn, jti);
  assert.equal(claims.sub, link);
  assert.equal(typeof claims.iat, "number");
  assert.equal(typeof claims.toe, "number");
  assert.deepEqual(claims.events, {
    [urnOf("resource-update")]: {
      subject: {
        subject_type: "http://openbanking.org.uk/rid_http://openbanking.org.uk/rty",
        "http://openbanking.org.uk/rid": consentId,
        "http://openbanking.org.uk/rty": "account-access-consents",
        "http://openbanking.org.uk/rlk": [{ version: "v4.0", link }],
      },
    },
    [urnOf("consent-authorization-revoked")]: {},
  });
  const read = await client.call({ path: link, token: await client.clientToken("accounts") });
  expectStatus(read, 200);
});

test("EV-16, EV-30, EV-31: events are sent again, byte for byte, until the TPP settles them", async () => {
  const client = await bank.createTpp();
  await subscribe(client);
  const consents = await revokeSome(client, 3);
  const all = await pollAll(client, 3);
  assert.deepEqual(await poll(client), { moreAvailable: false, sets: all });
  const [first, second, third] = Object.keys(all);
  assert.ok(first && second && third);
  const subjects = await Promise.all(Object.values(all).map((set) => openSet(client, set)));
  assert.deepEqual(
    subjects.map(({ sub }) => sub?.split("/").at(-1)),
    consents,
    "oldest first",
  );
  assert.deepEqual(await poll(client, { maxEvents: 1 }), {
    moreAvailable: true,
    sets: { [first]: all[first] },
  });
  assert.deepEqual(await poll(client, { maxEvents: 0, ack: [first, "unknown"] }), {
    moreAvailable: true,
    sets: {},
  });
  const setErrs = { [second]: { err: "jws", description: "The signature is not valid." } };
  assert.deepEqual(await poll(client, { setErrs }), {
    moreAvailable: false,
    sets: { [third]: all[third] },
  });
  assert.deepEqual(await pollNow(client, { ack: [third] }), none);
  assert.deepEqual(await pollNow(client), none);
});

test("EV-31, EV-33: a TPP can neither get nor acknowledge the events of another TPP", async () => {
  const [client, other] = [await bank.createTpp(), await bank.createTpp()];
  await subscribe(client);
  await subscribe(other);
  await revokeSome(client, 1);
  const sets = await pollAll(client, 1);
  assert.deepEqual(await pollNow(other, { ack: Object.keys(sets) }), none);
  assert.deepEqual((await pollNow(client)).sets, sets);
});

test("EV-33: neither the TPP's own actions nor the customer's approval cause an event", async () => {
  const client = await bank.createTpp();
  await subscribe(client);
  const consentId = await approvedAccess(bank, client);
  const token = await client.clientToken("accounts");
  const path = `/v4.0/aisp/account-access-consents/${consentId}`;
  expectStatus(await client.call({ method: "DELETE", path, token }), 204);
  await revokeSome(client, 1);
  // the later event has arrived, so an earlier one would have arrived too
  const sets = await pollAll(client, 1);
  const [claims] = await Promise.all(Object.values(sets).map((set) => openSet(client, set)));
  assert.ok(!claims?.sub?.includes(consentId));
});

test("EV-19: a consent that anyone but its TPP ends causes a resource update", async () => {
  const client = await bank.createTpp();
  await subscribe(client);
  const path = "/v4.0/aisp/account-access-consents";
  const token = await client.clientToken("accounts");
  const lodge = async (data: object = {}): Promise<string> => {
    const Data = { Permissions: ["ReadAccountsBasic"], ...data };
    const lodged = await client.call<{ Data: { ConsentId: string } }>({
      path,
      token,
      body: { Data, Risk: {} },
    });
    expectStatus(lodged, 201);
    return lodged.body.Data.ConsentId;
  };
  const refused = await lodge();
  const authorizationUrl = await client.authorizationUrl({ scope: "accounts", consentId: refused });
  await bank.decide({ authorizationUrl, customer: "amara", decision: "deny" });
  const expires = bank.clock.now().add({ hours: 1 }).toString();
  const expired = await lodge({ ExpirationDateTime: expires });
  await bank.approve(client, { scope: "accounts", consentId: expired, customer: "amara" });
  const forgotten = await lodge();
  await bank.advance("PT25H");
  const sets = await pollAll(client, 3);
  const later = await client.clientToken("accounts");
  const ends = await Promise.all(
    Object.values(sets).map(async (set) => {
      const { sub = "", events } = await openSet(client, set);
      const { body } = await client.call<{ Data: { Status: string } }>({
        path: sub,
        token: later,
      });
      return [sub.split("/").at(-1), Object.keys(events), body.Data.Status];
    }),
  );
  const update = [urnOf("resource-update")];
  const expected = [
    [refused, update, "RJCT"],
    [expired, update, "EXPD"],
    [forgotten, update, "RJCT"],
  ];
  assert.deepEqual(ends.sort(), expected.sort());
});

test("EV-34: a TPP gets only events of the types that it named, for changes after its subscription", async () => {
  const client = await bank.createTpp();
  await revokeSome(client, 1);
  await bank.advance("PT1S");
  const EventTypes = ["UK.OBIE.Consent-Authorization-Revoked"];
  await subscribe(client, { EventTypes });
  const [consentId] = await revokeSome(client, 1);
  const [set] = Object.values(await pollAll(client, 1));
  const { events, sub } = await openSet(client, present(set, "the event"));
  assert.deepEqual(Object.keys(events), [urnOf("consent-authorization-revoked")]);
  const subject = events[urnOf("consent-authorization-revoked")]?.subject;
  assert.equal(subject?.["http://openbanking.org.uk/rid"], consentId);
  assert.ok(sub?.endsWith(String(consentId)));
});

const formats: [string, object, string[], string][] = [
  ["EV-05: a subscription for version 3.1.1", { Version: "3.1.1" }, ["resource-update"], "v3.1"],
  [
    "EV-05: a subscription for a later patch of version 3.1",
    { Version: "3.1.8" },
    ["consent-authorization-revoked"],
    "v3.1",
  ],
  [
    "EV-05: a subscription to only resource updates",
    { EventTypes: ["UK.OBIE.Resource-Update"] },
    ["resource-update"],
    "v4.0",
  ],
  [
    "EV-04: a subscription for version 4.0",
    {},
    ["resource-update", "consent-authorization-revoked"],
    "v4.0",
  ],
];
for (const [name, data, types, version] of formats) {
  test(`${name} gets a revocation's SET in the format that it chose, with a link for every readable version`, async () => {
    const client = await bank.createTpp();
    await subscribe(client, data);
    const consentId = await approvedAccess(bank, client, "v3.1");
    await revoke(bank, consentId);
    const [set] = Object.values(await pollAll(client, 1));
    const { events, sub } = await openSet(client, present(set, "the event"));
    assert.deepEqual(Object.keys(events), types.map(urnOf));
    const linkOn = (api: string) =>
      `${bank.mtlsUrl}/api/open-banking/${api}/aisp/account-access-consents/${consentId}`;
    assert.equal(sub, linkOn(version));
    const [first] = Object.values(events);
    assert.deepEqual(
      first?.subject?.["http://openbanking.org.uk/rlk"],
      ["v3.1", "v4.0"].map((api) => ({ version: api, link: linkOn(api) })),
    );
  });
}

test("D-401-65: a subscription to version 3.1 gets events of consents made on v4.0", async () => {
  const client = await bank.createTpp();
  await subscribe(client, { Version: "3.1.8" });
  const consentId = await approvedAccess(bank, client, "v4.0");
  await revoke(bank, consentId);
  const [set] = Object.values(await pollAll(client, 1));
  const { events } = await openSet(client, present(set, "the event"));
  const [first] = Object.values(events);
  const link = `${bank.mtlsUrl}/api/open-banking/v4.0/aisp/account-access-consents/${consentId}`;
  assert.deepEqual(first?.subject?.["http://openbanking.org.uk/rlk"], [{ version: "v4.0", link }]);
});

test("EV-34: a deleted subscription drops its events, and a new one starts without them", async () => {
  const client = await bank.createTpp();
  const id = await subscribe(client);
  await revokeSome(client, 1);
  await pollAll(client, 1);
  const token = await client.clientToken("accounts");
  expectStatus(await client.call({ method: "DELETE", path: `${subscriptions}/${id}`, token }), 204);
  assert.deepEqual(await pollNow(client), none);
  await bank.advance("PT1S");
  await subscribe(client);
  assert.deepEqual(await pollNow(client), none);
});

test("EV-14: refused events are counted by err code, and unknown codes together", async () => {
  const count = async (err: string): Promise<number> => {
    const text = await (await fetch(`${bank.managementUrl}/metrics`)).text();
    const line = new RegExp(`^aldgate_event_refusals_total{err="${err}"} (\\d+)`, "m").exec(text);
    return Number(line?.[1] ?? 0);
  };
  const counts = async (): Promise<number[]> => Promise.all(["setData", "other", "jws"].map(count));
  const before = await counts();
  const client = await bank.createTpp();
  await subscribe(client);
  await revokeSome(client, 3);
  const [first = "", second = "", third = ""] = Object.keys(await pollAll(client, 3));
  const errorOf = (err: string) => ({ err, description: "The TPP cannot process it." });
  const setErrs = { [first]: errorOf("setData"), [second]: errorOf("a"), [third]: errorOf("b") };
  assert.deepEqual(await pollNow(client, { setErrs: { ...setErrs, none: errorOf("jws") } }), none);
  assert.deepEqual(await pollNow(client, { setErrs }), none);
  const more = (await counts()).map((counted, index) => counted - Number(before[index]));
  assert.deepEqual(more, [1, 2, 0]);
});

test("EV-01, EV-14, EV-20: any err code is accepted, and ids that are not the TPP's are ignored", async () => {
  const client = await bank.createTpp();
  const codes = ["jws", "jwtAud", "setData", "invalid_key", "access_denied", "our-own"];
  const setErrs = Object.fromEntries(codes.map((err) => [err, { err, description: "d" }]));
  assert.deepEqual(await pollNow(client, { setErrs, ack: ["unknown"] }), none);
});

test("EV-16: a sandbox says which ids of a poll are unknown, and does not change the response", async () => {
  const client = await bank.createTpp();
  const other = await bank.createTpp();
  await subscribe(client);
  await subscribe(other);
  await revokeSome(other, 1);
  const [theirs = ""] = Object.keys(await pollAll(other, 1));
  const body = { returnImmediately: true, ack: [theirs, "caf\u00e9"], setErrs: {} };
  const token = await client.clientToken("accounts");
  const path = "/v4.0/events";
  const answer = await client.call({ method: "POST", path, token, body });
  assert.deepEqual([answer.status, answer.body], [200, none]);
  const advice = String(answer.headers["x-aldgate-advice"]);
  assert.equal(
    advice,
    `ack and setErrs name ids that no event of this client has: "${theirs}", "caf?"`,
  );
  const quiet = await client.call({
    method: "POST",
    path,
    token,
    body: { returnImmediately: true },
  });
  assert.equal(quiet.headers["x-aldgate-advice"], undefined);
});

test("a poll without a registration returns at once in a sandbox, and says what is missing", async () => {
  const client = await bank.createTpp();
  const token = await client.clientToken("accounts");
  const answer = await client.call({ method: "POST", path: "/v4.0/events", token, body: {} });
  assert.deepEqual([answer.status, answer.body], [200, none]);
  assert.match(String(answer.headers["x-aldgate-advice"]), /^This client has not registered/);
});
