import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { approvedAccess, callbackUrls, faultOf, subscribe, subscriptions } from "./events-bed.ts";

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

const callbackUrl = "https://tpp.example/open-banking/v4.0/event-notifications";

type Shown = { Data: Record<string, unknown>; Links: { Self: string } };

async function call(
  client: TppClient,
  path: string,
  given: { method?: string; data?: object; scope?: Scope; signed?: boolean } = {},
): Promise<Answer<Shown>> {
  const token = await client.clientToken(given.scope ?? "accounts");
  const { method, signed } = given;
  return client.call<Shown>({
    path,
    token,
    ...(method ? { method } : {}),
    ...(given.data ? { body: { Data: given.data } } : {}),
    ...(signed === undefined ? {} : { signed }),
  });
}

test("EV-09, EV-15, EV-25: a subscription is created, read, changed and deleted; responses are signed", async () => {
  const client = await bank.createTpp();
  const data = {
    CallbackUrl: callbackUrl,
    Version: "4.0",
    EventTypes: ["UK.OBIE.Resource-Update"],
  };
  const created = await call(client, subscriptions, { data });
  expectStatus(created, 201);
  assert.ok(await client.verifySignature(created));
  const { EventSubscriptionId: id } = created.body.Data;
  assert.deepEqual(created.body.Data, { EventSubscriptionId: id, ...data });
  const one = `${subscriptions}/${id}`;
  assert.equal(created.body.Links.Self, `${client.base}/api/open-banking${one}`);

  const listed = await call(client, subscriptions);
  expectStatus(listed, 200);
  assert.ok(await client.verifySignature(listed));
  assert.deepEqual(listed.body.Data, { EventSubscription: [{ EventSubscriptionId: id, ...data }] });

  const polling = { EventSubscriptionId: id, Version: "3.1" };
  const changed = await call(client, one, { method: "PUT", data: polling });
  expectStatus(changed, 200);
  assert.ok(await client.verifySignature(changed));
  assert.deepEqual(changed.body.Data, polling);

  const other = { ...polling, EventSubscriptionId: "another" };
  assert.deepEqual(faultOf(await call(client, one, { method: "PUT", data: other })), [
    "U002",
    "Data.EventSubscriptionId",
  ]);
  expectStatus(await call(client, one, { method: "DELETE" }), 204);
  const empty = await call(client, subscriptions);
  assert.deepEqual(empty.body.Data, { EventSubscription: [] });
});

test("EV-25: an unsigned request about a subscription is refused", async () => {
  const client = await bank.createTpp();
  const answer = await call(client, subscriptions, { data: { Version: "4.0" }, signed: false });
  expectStatus(answer, 400);
  assert.match(faultOf(answer)[0], /^U0(07|17|18|19|20)$/);
});

test("EV-24: a token with the scope of any API can call event operations, and a customer's token cannot", async () => {
  const client = await bank.createTpp();
  for (const scope of ["accounts", "payments", "fundsconfirmations"] as const) {
    expectStatus(await call(client, subscriptions, { scope }), 200);
  }
  const consentId = await approvedAccess(bank, client);
  const { access_token: token } = await bank.approve(client, {
    scope: "accounts",
    consentId,
    customer: "amara",
  });
  const refused = await client.call({ path: subscriptions, token });
  expectStatus(refused, 403);
  assert.deepEqual(faultOf(refused), ["U006", "Authorization"]);
  expectStatus(await client.call({ path: subscriptions }), 401);
});

test("EV-27, D-401-64: a TPP's second subscription is 409, even if two arrive at the same time", async () => {
  const client = await bank.createTpp();
  const data = { Version: "4.0" };
  const answers = await Promise.all([1, 2, 3].map(() => call(client, subscriptions, { data })));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [201, 409, 409]);
  const refused = answers.find(({ status }) => status === 409);
  assert.equal(refused && faultOf(refused)[0], "U029");
});

test("D-401-68: an idempotency key has no effect on an event operation", async () => {
  const client = await bank.createTpp();
  const token = await client.clientToken("accounts");
  const sent = {
    path: subscriptions,
    token,
    headers: { "x-idempotency-key": "key" },
    body: { Data: { Version: "4.0" } },
  };
  expectStatus(await client.call(sent), 201);
  // the same request is not answered with the first response
  expectStatus(await client.call(sent), 409);
  const answer = await fetch(`${bank.publicUrl}/openapi/events-v4.0.json`);
  assert.doesNotMatch(await answer.text(), /x-idempotency-key|x-fapi-financial-id/i);
});

test("EV-02: a subscription replaces a callback URL, but a callback URL never replaces a subscription", async () => {
  const client = await bank.createTpp();
  const callback = { Url: callbackUrl, Version: "3.1" };
  const first = await call(client, callbackUrls, { data: callback });
  expectStatus(first, 201);
  const { CallbackUrlId: id } = first.body.Data;
  assert.deepEqual(first.body.Data, { CallbackUrlId: id, ...callback });
  assert.equal(first.body.Links.Self, `${client.base}/api/open-banking${callbackUrls}/${id}`);
  expectStatus(await call(client, callbackUrls, { data: callback }), 409);
  const changed = { CallbackUrlId: id, Url: callbackUrl, Version: "4.0" };
  expectStatus(await call(client, `${callbackUrls}/${id}`, { method: "PUT", data: changed }), 200);
  assert.deepEqual((await call(client, callbackUrls)).body.Data, { CallbackUrl: [changed] });

  await subscribe(client);
  assert.deepEqual((await call(client, callbackUrls)).body.Data, { CallbackUrl: [] });
  const gone = await call(client, `${callbackUrls}/${id}`, { method: "DELETE" });
  expectStatus(gone, 400);
  assert.deepEqual(faultOf(gone), ["U011", "CallbackUrlId"]);
  expectStatus(await call(client, callbackUrls, { data: callback }), 409);
});

test("EV-28: an unknown id is 400, and the id of another TPP's subscription is 403", async () => {
  const [client, other] = [await bank.createTpp(), await bank.createTpp()];
  const id = await subscribe(other);
  const data = { EventSubscriptionId: id, Version: "4.0" };
  for (const given of [{ method: "DELETE" }, { method: "PUT", data }]) {
    expectStatus(await call(client, `${subscriptions}/${id}`, given), 403);
  }
  for (const unknown of ["evs-unknown", "%00", "a%20b"]) {
    const answer = await call(client, `${subscriptions}/${unknown}`, { method: "DELETE" });
    expectStatus(answer, 400);
  }
  const unknown = await call(client, `${subscriptions}/evs-unknown`, { method: "DELETE" });
  assert.deepEqual(faultOf(unknown), ["U011", "EventSubscriptionId"]);
  assert.equal((await call(other, subscriptions)).status, 200);
});

const path = "/open-banking/v4.0/event-notifications";
const refusals: [string, object, [string, string]][] = [
  [
    "EV-03: a CallbackUrl that is not a URL",
    { CallbackUrl: "tpp.example" },
    ["U002", "Data.CallbackUrl"],
  ],
  [
    "EV-03: a CallbackUrl with http",
    { CallbackUrl: `http://tpp.example${path}` },
    ["U002", "Data.CallbackUrl"],
  ],
  [
    "EV-03: a CallbackUrl with a password",
    { CallbackUrl: `https://a:b@tpp.example${path}` },
    ["U002", "Data.CallbackUrl"],
  ],
  [
    "EV-03: a CallbackUrl with another path",
    { CallbackUrl: "https://tpp.example/events" },
    ["U002", "Data.CallbackUrl"],
  ],
  [
    "EV-03: a CallbackUrl with a query",
    { CallbackUrl: `https://tpp.example${path}?a=b` },
    ["U002", "Data.CallbackUrl"],
  ],
  [
    "EV-26: an unknown event type",
    { EventTypes: ["UK.OBIE.Other"] },
    ["U024", "Data.EventTypes[0]"],
  ],
  ["EV-04: an unknown version", { Version: "five" }, ["U002", "Data.Version"]],
  ["EV-04: a missing version", { Version: undefined }, ["U004", "Data.Version"]],
];
for (const [name, data, fault] of refusals) {
  test(`${name} is refused in a subscription`, async () => {
    const client = await bank.createTpp();
    const answer = await call(client, subscriptions, { data: { Version: "4.0", ...data } });
    expectStatus(answer, 400);
    assert.deepEqual(faultOf(answer), fault);
  });
}

test("EV-26: event types are accepted as codes and as URNs, and returned as they were sent", async () => {
  const client = await bank.createTpp();
  const EventTypes = [
    "urn:uk:org:openbanking:events:resource-update",
    "UK.OBIE.Consent-Authorization-Revoked",
  ];
  await subscribe(client, { EventTypes });
  const { body } = await call(client, subscriptions);
  const [shown] = body.Data.EventSubscription as { EventTypes: string[] }[];
  assert.deepEqual(shown?.EventTypes, EventTypes);
});

test("EV-35, EV-15, D-401-66: a subscription made on v3.1 can be read, changed and deleted on v4.0 too", async () => {
  const client = await bank.createTpp();
  const older = "/v3.1/event-subscriptions";
  const data = { Version: "3.1", EventTypes: ["UK.OBIE.Resource-Update"] };
  const created = await call(client, older, { data });
  expectStatus(created, 201);
  assert.ok(await client.verifySignature(created));
  const { EventSubscriptionId: id } = created.body.Data;
  assert.equal(created.body.Links.Self, `${client.base}/api/open-banking${older}/${id}`);
  for (const path of [older, subscriptions]) {
    const { body } = await call(client, path);
    assert.deepEqual(body.Data, { EventSubscription: [{ EventSubscriptionId: id, ...data }] });
  }
  const changed = { EventSubscriptionId: id, Version: "4.0" };
  const put = { method: "PUT", data: changed };
  expectStatus(await call(client, `${subscriptions}/${id}`, put), 200);
  assert.deepEqual((await call(client, older)).body.Data, { EventSubscription: [changed] });
  const token = await client.clientToken("payments");
  const polled = await client.call({
    path: "/v3.1/events",
    token,
    body: { returnImmediately: true },
  });
  expectStatus(polled, 200);
  assert.deepEqual(polled.body, { moreAvailable: false, sets: {} });
  expectStatus(await call(client, `${older}/${id}`, { method: "DELETE" }), 204);
  assert.deepEqual((await call(client, subscriptions)).body.Data, { EventSubscription: [] });
});

test("EV-35, D-401-64, D-401-66, D-401-67: a registration made on v4.0 is unknown on v3.1, where a second one is still refused", async () => {
  const client = await bank.createTpp();
  const older = "/v3.1/event-subscriptions";
  const url = { Url: callbackUrl, Version: "4.0" };
  const created = await call(client, callbackUrls, { data: url });
  expectStatus(created, 201);
  const olderUrls = "/v3.1/callback-urls";
  assert.deepEqual((await call(client, olderUrls)).body.Data, { CallbackUrl: [] });
  const removed = { method: "DELETE" };
  expectStatus(await call(client, `${olderUrls}/${created.body.Data.CallbackUrlId}`, removed), 400);
  // an older version does not replace a registration that a newer one made
  expectStatus(await call(client, older, { data: { Version: "3.1" } }), 409);
  const id = await subscribe(client);
  assert.deepEqual((await call(client, older)).body.Data, { EventSubscription: [] });
  const data = { EventSubscriptionId: id, Version: "3.1" };
  for (const given of [{ method: "DELETE" }, { method: "PUT", data }]) {
    const answer = await call(client, `${older}/${id}`, given);
    expectStatus(answer, 400);
    const [fault] = (answer.body as unknown as { Errors: { ErrorCode: string }[] }).Errors;
    assert.equal(fault?.ErrorCode, "UK.OBIE.Resource.NotFound");
  }
  const again = await call(client, older, { data: { Version: "3.1" } });
  expectStatus(again, 409);
  assert.equal((await call(client, subscriptions)).status, 200);
});
