import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { after, before, test } from "node:test";
import type { LogReader } from "#src/request-log/reader.ts";
import { pathOf, type TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { openSet, poll, subscribe } from "#test/events/events-bed.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge } from "#test/journeys/payments.ts";
import { runCommand } from "#test/server/run-command.ts";

type Listed = Awaited<ReturnType<LogReader["list"]>>;
type Shown = NonNullable<Awaited<ReturnType<LogReader["show"]>>>;

let bank: TestBank;
let tpp: TppClient;
before(async () => {
  bank = await openBank();
  tpp = await bank.createTpp();
});
after(() => bank?.close());

const list = async (query: Record<string, string> = {}) =>
  (await bank.control<Listed>("GET", `/requests?${new URLSearchParams(query)}`)).requests;
const show = (id: string) => bank.control<Shown>("GET", `/requests/${encodeURIComponent(id)}`);

/** Polls until an event about an order arrives. Returns its id. */
async function untilEventAbout(orderId: string): Promise<string> {
  for (;;) {
    const { sets } = await poll(tpp);
    for (const [jti, set] of Object.entries(sets)) {
      if ((await openSet(tpp, set)).sub?.endsWith(orderId)) return jti;
    }
    await poll(tpp, { ack: Object.keys(sets), returnImmediately: true });
  }
}

test("an order is found by every filter, and opened with its checks, consent, events and ledger", async () => {
  await subscribe(tpp);
  const lodged = await lodge(tpp);
  const { consentId } = lodged;
  const approval = { scope: "payments", consentId, customer: "amara" } as const;
  const { access_token: token } = await bank.approve(tpp, approval);
  const interactionId = randomUUID();
  const idempotencyKey = randomUUID();
  const order = {
    path: `${pathOf(pispV40)}/domestic-payments`,
    token,
    idempotencyKey,
    body: { Data: { ConsentId: consentId, Initiation: lodged.initiation }, Risk: lodged.risk },
    headers: { "x-fapi-interaction-id": interactionId },
  };
  const answer = await tpp.call<{ Data: { DomesticPaymentId: string } }>(order);
  assert.equal(answer.status, 201, answer.raw.toString());
  const orderId = answer.body.Data.DomesticPaymentId;
  await bank.advance("PT1M");
  const jti = await untilEventAbout(orderId);
  const filters = [
    { interactionId },
    { consent: lodged.consentId, status: "201", path: "domestic-payments" },
    { order: orderId },
    { client: tpp.tpp.clientId, path: "/pisp/domestic-payments", status: "2xx", limit: "1" },
  ].map((filter) => ({ ...filter, since: "2020-01-01T00:00:00Z" }));
  for (const filter of filters) {
    const found = await list(filter as unknown as Record<string, string>);
    assert.ok(
      found.some((one) => one.interactionId === interactionId),
      JSON.stringify({ filter, found }),
    );
  }
  const shown = await show(interactionId);
  assert.equal(shown.status, 201);
  assert.equal(shown.operation, "CreateDomesticPayments");
  assert.deepEqual(
    shown.checks.map(({ name, result }) => `${name} ${result}`),
    [
      ..."interaction-id token grant scope consent-version rate-limit accept content-type".split(
        " ",
      ),
      ..."auth-date idempotency-key body replay schema consent owner status match dates".split(" "),
      ..."rate cut-off".split(" "),
    ].map((name) => `${name} passed`),
  );
  assert.ok(shown.checks.every(({ milliseconds }) => milliseconds !== null && milliseconds >= 0));
  assert.equal(shown.bodies?.request, JSON.stringify(order.body));
  assert.equal(shown.bodies?.answer, answer.raw.toString());
  assert.equal(shown.linked.consent?.consentId, lodged.consentId);
  assert.equal(shown.linked.order?.orderId, orderId);
  assert.deepEqual(
    shown.linked.ledger.map(({ amount, currency }) => `${amount} ${currency}`),
    ["12.34 GBP"],
  );
  const event = shown.linked.events.find((one) => one.jti === jti);
  assert.deepEqual([event?.objectId, event?.types], [orderId, ["resource-update"]]);
  const html = { headers: { accept: "text/html" } };
  const page = await fetch(`${bank.publicUrl}/sandbox/requests/${interactionId}`, html);
  assert.ok((await page.text()).includes(`<code>${jti}</code>`));
  const { printed } = await runCommand(`logs ${interactionId}`, { PUBLIC_URL: bank.publicUrl });
  assert.match(printed, new RegExp(`event .*${jti}`));
  assert.deepEqual(
    { key: shown.idempotency?.key, isReplay: shown.idempotency?.isReplay },
    { key: idempotencyKey, isReplay: false },
  );

  const again = randomUUID();
  const repeated = await tpp.call({ ...order, headers: { "x-fapi-interaction-id": again } });
  assert.equal(repeated.status, 201);
  const replay = await show(again);
  assert.equal(replay.idempotency?.isReplay, true);
  assert.equal(replay.idempotency?.firstSeen?.interactionId, interactionId);
  assert.deepEqual(
    replay.checks.slice(-4).map(({ result }) => result),
    ["not needed", "not needed", "not needed", "not needed"],
  );
});

test("a refused request names the check that refused it, and its code", async () => {
  const interactionId = randomUUID();
  const body = Buffer.from(JSON.stringify({ Data: {} }));
  const answer = await tpp.call({
    path: `${pathOf(pispV40)}/domestic-payment-consents`,
    token: await tpp.clientToken("payments"),
    body,
    signed: false,
    headers: {
      "x-fapi-interaction-id": interactionId,
      "x-jws-signature": await tpp.signature(Buffer.from("{}")),
    },
  });
  assert.equal(answer.status, 400);
  const shown = await show(interactionId);
  assert.deepEqual(shown.codes, ["U015"]);
  const refused = shown.checks.filter(({ result }) => result === "refused");
  assert.deepEqual(
    refused.map(({ name }) => name),
    ["signature"],
  );
  const ran = shown.checks.filter(({ milliseconds }) => milliseconds !== null);
  assert.deepEqual(ran.at(-1), refused[0], "the check that refused is the last one with a time");
  const sum = ran.reduce((all, { milliseconds }) => all + (milliseconds ?? 0), 0);
  assert.ok(sum <= shown.milliseconds + 0.1, `${sum} of ${shown.milliseconds} ms`);
  for (const code of ["U015", "UK.OBIE.Signature.Invalid"]) {
    const found = await list({ code });
    assert.deepEqual(
      found.map((one) => one.interactionId),
      [interactionId],
      code,
    );
  }
});

test("the token endpoint, pushed requests, registration and unknown paths are recorded", async () => {
  await assert.rejects(tpp.token({ grant_type: "client_credentials", scope: "nonsense" }));
  const [refused] = await list({ path: "/token", status: "4xx" });
  assert.equal(refused?.clientId, tpp.tpp.clientId);
  assert.deepEqual(refused?.codes, ["invalid_scope", "scopeUnknown"]);
  await tpp.push({ request: "none" });
  assert.equal((await list({ path: "/request" }))[0]?.clientId, tpp.tpp.clientId);
  await tpp.send(`${bank.mtlsUrl}/register`, "POST", Buffer.from("x"), {
    "content-type": "text/plain",
  });
  assert.deepEqual((await list({ path: "/register" }))[0]?.codes, [
    "invalid_client_metadata",
    "R-015",
  ]);
  await tpp.call({ path: "/v4/aisp/accounts" });
  const [unknown] = await list({ status: "404" });
  assert.equal(unknown?.operation, null);
  assert.equal(unknown?.path, "/api/open-banking/v4/aisp/accounts");
});

test("a request that announces a large body drops no other request from the log", async () => {
  await list({ limit: "1" }); // writes what waits
  const headers = { "content-length": "9000000000" };
  const request = get(`${bank.publicUrl}/nowhere/announced`, { headers });
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  for (const each of [request, answer]) each.on("error", () => undefined);
  request.destroy();
  await fetch(`${bank.publicUrl}/nowhere/after`);
  await tpp.call({ path: "/v4/aisp/accounts" });
  const paths = (await list({ limit: "3" })).map((one) => one.path).sort();
  const expected = ["/api/open-banking/v4/aisp/accounts", "/nowhere/after", "/nowhere/announced"];
  assert.deepEqual(paths, expected);
});

const resultsOf = async (path: string): Promise<string[]> => {
  const [latest] = await list({ path, limit: "1" });
  const { checks } = await show(latest?.logId ?? "");
  for (const { result, milliseconds } of checks) {
    const isTimed = milliseconds !== null && milliseconds >= 0;
    assert.equal(
      isTimed,
      ["passed", "refused"].includes(result),
      `${path} ${JSON.stringify(checks)}`,
    );
  }
  return checks.map(({ name, result }) => `${name} ${result}`);
};

test("the checks of the authorization server and the registration are shown in their order", async () => {
  const passed = (names: string): string[] => names.split(" ").map((name) => `${name} passed`);
  await tpp.clientToken("accounts");
  assert.deepEqual(await resultsOf("/token"), passed("form client grant-type grant"));
  await assert.rejects(tpp.token({ grant_type: "client_credentials", scope: "nonsense" }));
  assert.deepEqual(await resultsOf("/token"), [
    ...passed("form client grant-type"),
    "grant refused",
  ]);
  await tpp.push({ request: "none" });
  assert.deepEqual(await resultsOf("/request"), [
    ...passed("form client"),
    "request-object refused",
    "parameters not reached",
    "consent not reached",
  ]);
  const { consentId } = await lodge(tpp);
  await bank.approve(tpp, { scope: "payments", consentId, customer: "amara" });
  assert.deepEqual(
    await resultsOf("/auth"),
    passed("form client request-object parameters consent"),
  );
  await tpp.send(`${bank.mtlsUrl}/register`, "POST", Buffer.from("x"), {
    "content-type": "application/jose",
  });
  const [rate, certificate, request, ...others] = await resultsOf("/register");
  assert.deepEqual(
    [rate, certificate, request],
    ["rate-limit passed", "certificate passed", "request refused"],
  );
  assert.ok(others.length > 5 && others.every((one) => one.endsWith("not reached")));
});

test("a page of the list leads to the next one, and `after` returns only newer requests", async () => {
  const first = await bank.control<Listed>("GET", "/requests?limit=3");
  assert.equal(first.requests.length, 3);
  const second = await bank.control<Listed>("GET", `/requests?limit=3&before=${first.next}`);
  const ids = [...first.requests, ...second.requests].map(({ logId }) => logId);
  assert.equal(new Set(ids).size, 6);
  const newest = ids[0] ?? "";
  assert.deepEqual(await list({ after: newest }), []);
  await tpp.call({ path: "/v4/aisp/later" });
  assert.deepEqual(
    (await list({ after: newest })).map(({ path }) => path),
    ["/api/open-banking/v4/aisp/later"],
  );
});

const wrong: [query: string, message: RegExp][] = [
  ["status=40", /status must be three digits/],
  ["limit=0", /limit must be a number from 1 to 200/],
  ["since=yesterday", /since must be a date-time with an offset/],
  ["before=none", /before must be the logId/],
  ["colour=red", /There is no filter colour\. The filters are interactionId/],
];
for (const [query, message] of wrong) {
  test(`the filter ${query} is refused in words`, async () => {
    const answer = await fetch(`${bank.publicUrl}/sandbox/v1/requests?${query}`);
    assert.equal(answer.status, 400);
    assert.match(((await answer.json()) as { message: string }).message, message);
  });
}

test("operators read the log on the management listener, and nobody does elsewhere", async () => {
  const listed = (await (await fetch(`${bank.managementUrl}/requests?limit=2`)).json()) as Listed;
  assert.equal(listed.requests.length, 2);
  const id = listed.requests[0]?.logId ?? "";
  const one = (await (await fetch(`${bank.managementUrl}/requests/${id}`)).json()) as Shown;
  assert.equal(one.logId, id);
  assert.equal((await fetch(`${bank.managementUrl}/requests?status=x`)).status, 400);
  assert.equal((await fetch(`${bank.managementUrl}/requests/none`)).status, 404);
  assert.equal((await fetch(`${bank.publicUrl}/requests`)).status, 404);
});

test("the pages list the requests and open one, and need the rights of the controls", async () => {
  const html = { headers: { accept: "text/html" } };
  const page = await (await fetch(`${bank.publicUrl}/sandbox/requests?status=201`, html)).text();
  const [, link] = /href="(\/sandbox\/requests\/[^"]+)"/.exec(page) ?? [];
  const one = await (await fetch(bank.publicUrl + link, html)).text();
  assert.match(one, /Checks, in their order/);
  assert.match(one, /<h2 id="Request">Request<\/h2>/);
  assert.equal((await fetch(`${bank.publicUrl}/sandbox/requests/none`, html)).status, 404);
  assert.equal((await fetch(`${bank.publicUrl}/sandbox/requests?status=x`, html)).status, 400);
  const foreign = await fetch(`${bank.publicUrl}/sandbox/requests`, {
    headers: { origin: "https://evil.example" },
  });
  assert.equal(foreign.status, 403);
});
