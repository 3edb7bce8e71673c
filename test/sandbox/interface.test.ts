import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { profileIds } from "#src/clients/security-profile.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, order, readConsent, readOrder } from "#test/journeys/payments.ts";
import { type Caller, callerOf, expectRefusal } from "./caller.ts";
import { routes } from "./control-routes.ts";

let bank: TestBank;
let call: Caller;
before(async () => {
  bank = await openBank();
  call = callerOf(bank);
});
after(() => bank?.close());

test("the OpenAPI document lists every route, and no other", async () => {
  const document = (await (await fetch(`${bank.publicUrl}/openapi/sandbox-v1.json`)).json()) as {
    servers: { url: string }[];
    paths: Record<string, Record<string, { responses: object }>>;
  };
  const listed = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const expected = routes.map(([method, path]) => {
    const ids: Record<string, string> = {
      tpps: "{clientId}",
      accounts: "{accountId}",
      customers: "{login}",
      consents: "{consentId}",
      directory: "{softwareId}",
      clients: "{clientId}",
      "signing-keys": "{kid}",
      worlds: "{name}",
      ...{ requests: "{id}", explanations: "{id}", "backchannel-requests": "{authReqId}" },
    };
    const named = path
      .replace("keys/none", "keys/{kid}")
      .replace("/payments/none", "/payments/{orderId}")
      .replace("approvals/none", "approvals/{approvalId}")
      .replace("objects/none", "objects/{objectId}")
      .replace("notices/none", "notices/{noticeId}")
      .replace("direct-debits/none", "direct-debits/{id}")
      .replace("/id", "/{contractId}")
      .replace("/red", "/{snapshot}");
    return `${method} ${named.replace("none", ids[path.split("/")[1] ?? ""] ?? "{orderId}")}`;
  });
  assert.deepEqual(listed.sort(), expected.sort());
  assert.equal(document.servers[0]?.url, `${bank.publicUrl}/sandbox/v1`);
});

test("a request that a proxy forwarded is refused on every route", async () => {
  for (const header of ["x-forwarded-for", "forwarded", "via", "x-real-ip"]) {
    for (const [method, path, body] of routes) {
      const answer = await call(method, path, body, { [header]: "203.0.113.9" });
      await expectRefusal(answer, 403);
    }
  }
});

test("an unknown path or method gets 404 in JSON", async () => {
  for (const [method, path] of [
    ["GET", "/nothing"],
    ["DELETE", "/clock"],
    ["GET", "/tpps"],
  ] as const) {
    const answer = await call(method, path);
    assert.ok([404, 405].includes(answer.status), `${method} ${path} ${answer.status}`);
    JSON.parse(await answer.text());
  }
});

test("POST /tpps returns keys and certificates that work immediately", async () => {
  const request = {
    name: "Zoë's Söftware & Co <b>",
    roles: ["AISP", "PISP"],
    redirectUris: ["https://tpp.example/cb?x=1", "http://localhost:1/cb"],
  };
  const answer = await call("POST", "/tpps", request);
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const made = (await answer.json()) as Omit<TppCredentials, "redirectUris">;
  assert.deepEqual(Object.keys(made).sort(), [
    "caPem",
    "clientId",
    "organisationId",
    "profile",
    "signing",
    "softwareId",
    "softwareStatement",
    "transport",
  ]);
  const tpp: TppCredentials = {
    ...made,
    redirectUris: request.redirectUris,
    tokenEndpointAuthMethod: "private_key_jwt",
    certificateBound: true,
  };
  const client = new TppClient(bank, tpp);
  try {
    assert.ok(await client.clientToken("accounts"));
    const directory = `/directory/${made.organisationId}/${made.softwareId}.jwks`;
    const jwks = (await (await fetch(`${bank.publicUrl}${directory}`)).json()) as {
      keys: { kid: string }[];
    };
    assert.deepEqual(
      jwks.keys.map(({ kid }) => kid),
      [made.signing.kid],
    );
  } finally {
    client.close();
  }
});

test("POST /tpps refuses an invalid TPP and names each fault", async () => {
  const good = { name: "T", roles: ["AISP"], redirectUris: ["https://t.example/cb"] };
  const bad: object[] = [
    {},
    { ...good, name: "" },
    { ...good, name: " " },
    { ...good, name: "x".repeat(71) },
    { ...good, name: "a\nb" },
    { ...good, name: 7 },
    { ...good, roles: [] },
    { ...good, roles: ["ASPSP"] },
    { ...good, roles: "AISP" },
    { ...good, redirectUris: [] },
    { ...good, redirectUris: ["http://tpp.example/cb"] },
    { ...good, redirectUris: ["https://t.example/cb#x"] },
    { ...good, redirectUris: ["https://user:pw@t.example/cb"] },
    { ...good, redirectUris: ["javascript:alert(1)"] },
    { ...good, redirectUris: ["not a URI"] },
    { ...good, redirectUris: [`https://t.example/${"x".repeat(300)}`] },
    { ...good, tokenEndpointAuthMethod: "client_secret_basic" },
    { ...good, tokenEndpointAuthMethod: "tls_client_auth", certificateBound: false },
    { ...good, certificateBound: "no" },
    { ...good, profile: "fapi3" },
    { ...good, profile: "FAPI2" },
    { ...good, profile: null },
    { ...good, profile: "fapi2", certificateBound: false },
    { ...good, extra: true },
  ];
  for (const body of bad) {
    const refusal = await expectRefusal(await call("POST", "/tpps", body), 400);
    assert.ok(refusal.faults.length > 0, JSON.stringify(body));
  }
  for (const body of ["", "{", "[]", "null", "1", "\u0000"]) {
    await expectRefusal(await call("POST", "/tpps", body), 400);
  }
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "text/xml"]) {
    await expectRefusal(await call("POST", "/tpps", "name=x", { "content-type": type }), 415);
  }
  const large = await call("POST", "/tpps", { ...good, name: "x".repeat(2_000_000) });
  assert.match((await expectRefusal(large, 413)).message, /at most 131,072 bytes/);
});

test("POST /tpps registers a TPP for the profile that it names, and GET shows the profile", async () => {
  const good = { name: "T", roles: ["AISP"], redirectUris: ["https://t.example/cb"] };
  for (const profile of [undefined, ...profileIds]) {
    const made = await call("POST", "/tpps", { ...good, profile });
    assert.equal(made.status, 201);
    const tpp = (await made.json()) as TppCredentials;
    assert.equal(tpp.profile, profile ?? "fapi1");
    const read = (await (await call("GET", `/tpps/${tpp.clientId}`)).json()) as TppCredentials;
    assert.equal(read.profile, tpp.profile);
  }
  const unknown = await call("POST", "/tpps", { ...good, profile: "fapi3" });
  const { faults } = await expectRefusal(unknown, 400);
  assert.ok(
    faults.some((fault) => /^profile: /.test(fault)),
    faults.join("; "),
  );
});

test("hostile input of any shape is refused with 4xx, never with 500", async () => {
  const paths = ["/tpps", "/authorisations", "/explorer", "/multi-authorisations/x"];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.jsonValue(), async (path, body) => {
      const answer = await call("POST", path, JSON.stringify(body));
      await expectRefusal(answer, 400, 404);
    }),
    { numRuns: 120 },
  );
  const members = fc.record(
    {
      now: fc.oneof(fc.string(), fc.jsonValue()),
      advance: fc.oneof(fc.string(), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(members, async (body) => {
      await expectRefusal(await call("PUT", "/clock", JSON.stringify(body)), 400);
    }),
    { numRuns: 120 },
  );
  for (const id of ["%00", "'", "a%20b", "..%2f", "x".repeat(500)]) {
    const answer = await call("POST", `/multi-authorisations/${id}`, { decision: "approve" });
    await expectRefusal(answer, 400, 404, 414);
  }
  const undecodable = await call("POST", "/multi-authorisations/%ff", { decision: "approve" });
  await expectRefusal(undecodable, 400);
});

test("GET /customers lists the personas with their logins and passwords", async () => {
  const customers = await bank.customers();
  assert.ok(customers.length >= 5);
  for (const { login, password, accounts } of customers) {
    assert.ok(login && password);
    assert.ok(accounts.length > 0, login);
    for (const account of accounts) assert.match(String(account.balance), /^-?\d+\.\d\d$/);
  }
  assert.ok(customers.some(({ accounts }) => accounts.length >= 30));
  assert.ok(customers.some(({ accounts }) => accounts.some((one) => one.signatoriesRequired > 1)));
});

test("POST /authorisations approves, denies and abandons, and explains refusals", async () => {
  const client = await bank.createTpp();
  const decisions = [
    ["approve", "AUTH"],
    ["deny", "RJCT"],
    ["abandon", "RJCT"],
  ] as const;
  for (const [decision, status] of decisions) {
    const { consentId } = await lodge(client);
    const authorizationUrl = await client.authorizationUrl({ scope: "payments", consentId });
    const answer = await call("POST", "/authorisations", {
      authorizationUrl,
      customer: "amara",
      decision,
    });
    assert.equal(answer.status, 200);
    const { redirectUrl } = (await answer.json()) as { redirectUrl: string };
    const back = new URLSearchParams(new URL(redirectUrl).hash.slice(1));
    assert.equal(back.has("code"), decision === "approve");
    assert.equal(back.get("error"), decision === "approve" ? null : "access_denied");
    const seen = await readConsent(client, "domestic-payment-consents", consentId);
    assert.equal(seen.status, status);
  }
  const { consentId } = await lodge(client);
  const authorizationUrl = await client.authorizationUrl({ scope: "payments", consentId });
  const good = { authorizationUrl, customer: "amara", decision: "approve" };
  for (const body of [
    { ...good, authorizationUrl: "https://elsewhere.example/auth" },
    { ...good, authorizationUrl: `${bank.publicUrl}/docs` },
    { ...good, authorizationUrl: `${bank.publicUrl}/auth` },
    { ...good, authorizationUrl: "\u0000" },
    { ...good, customer: "nobody" },
    { ...good, customer: "__proto__" },
    { ...good, decision: "maybe" },
    { ...good, accounts: ["not-mine"] },
  ]) {
    await expectRefusal(await call("POST", "/authorisations", body), 400);
  }
  const seen = await readConsent(client, "domestic-payment-consents", consentId);
  assert.equal(seen.status, "AWAU", "a refused decision leaves the consent waiting");
});

test("setting the clock back is refused with a message", async () => {
  const before = Temporal.Instant.from((await bank.control<{ now: string }>("GET", "/clock")).now);
  for (const body of [
    { now: "2020-01-01T00:00:00Z" },
    { advance: "-PT1S" },
    { advance: "-P400D" },
    {},
    { now: "2099-01-01T00:00:00Z", advance: "P1D" },
    { now: "tomorrow" },
    { now: "2099-01-01" },
    { now: "2099-01-01T00:00:00" },
    { advance: "40 days" },
    { advance: "P" },
    { advance: "P999999999Y" },
    { advance: "P80Y" },
    { now: "+200000-01-01T00:00:00Z" },
  ]) {
    await expectRefusal(await call("PUT", "/clock", body), 400);
  }
  const after = Temporal.Instant.from((await bank.control<{ now: string }>("GET", "/clock")).now);
  assert.ok(after.since(before).total("seconds") < 60);
});

test("concurrent callers can advance the clock, which ends at the latest time", async () => {
  const start = bank.clock.now();
  const targets = [3, 9, 1, 7, 5].map((minutes) => start.add({ minutes }).toString());
  const answers = await Promise.all(targets.map((now) => call("PUT", "/clock", { now })));
  // 400 is for a caller whose target another caller had already passed
  for (const answer of answers) assert.ok([200, 400].includes(answer.status));
  assert.ok(answers.some(({ status }) => status === 200));
  assert.ok(Temporal.Instant.compare(bank.clock.now(), start.add({ minutes: 9 })) >= 0);
});

test("concurrent callers can register TPPs, each with its own keys", async () => {
  const request = { name: "Many", roles: ["PISP"], redirectUris: ["https://many.example/cb"] };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => call("POST", "/tpps", request)),
  );
  const made = (await Promise.all(answers.map((one) => one.json()))) as TppCredentials[];
  for (const member of ["clientId", "organisationId", "softwareId"] as const) {
    assert.equal(new Set(made.map((one) => one[member])).size, 8);
  }
});

test("forty days later consents, codes and tokens have expired, and payments were made in order", async () => {
  const client = await bank.createTpp();
  const [payer] = await bank.currentAccounts("chloe");
  assert.ok(payer);
  const day = bank.clock.now().toZonedDateTimeISO("UTC").toPlainDate();
  const ids: string[] = [];
  // the payment with the later date is ordered first
  for (const days of [30, 10]) {
    const lodged = await lodge(client, {
      kind: "domestic-scheduled-payment",
      amount: "1.00",
      initiation: { RequestedExecutionDateTime: `${day.add({ days })}T00:00:00+00:00` },
    });
    const { access_token: token } = await bank.approve(client, {
      scope: "payments",
      consentId: lodged.consentId,
      customer: "chloe",
      accounts: [payer.accountId],
    });
    ids.push(await order(client, lodged, token));
  }
  const waiting = await lodge(client);
  const ending = bank.clock.now().add({ hours: 480 }).toString({ smallestUnit: "second" });
  const access = await lodgeAccess(client, { ExpirationDateTime: ending });
  const open = await lodgeAccess(client);
  const grants = { scope: "accounts" as const, customer: "chloe", accounts: [payer.accountId] };
  const tokens = await bank.approve(client, { ...grants, consentId: access });
  const lasting = await bank.approve(client, { ...grants, consentId: open });
  const unused = await lodgeAccess(client);
  const { redirectUrl: back } = await bank.decide({
    authorizationUrl: await client.authorizationUrl({ scope: "accounts", consentId: unused }),
    customer: "chloe",
    decision: "approve",
  });
  const read = (token: string) => client.call({ path: "/v3.1/aisp/accounts", token });
  assert.equal((await read(tokens.access_token)).status, 200);

  await bank.advance("P40D");

  assert.equal(
    (await readConsent(client, "domestic-payment-consents", waiting.consentId)).status,
    "RJCT",
  );
  assert.equal((await readConsent(client, "account-access-consents", open)).status, "Authorised");
  assert.equal((await read(tokens.access_token)).status, 401);
  assert.equal((await read(lasting.access_token)).status, 401, "an access token is short-lived");
  const error = async (parameters: Record<string, string>) =>
    ((await client.tokenAnswer(parameters)).body as { error?: string }).error;
  const refresh = { grant_type: "refresh_token" };
  assert.equal(
    await error({ ...refresh, refresh_token: tokens.refresh_token ?? "" }),
    "invalid_grant",
  );
  // a consent without an expiry date stays valid, and so does its refresh token
  const renewed = await client.refresh(lasting.refresh_token ?? "");
  assert.equal((await read(renewed.access_token)).status, 200);
  const code = new URLSearchParams(new URL(back).hash.slice(1)).get("code") ?? "";
  const redirect_uri = back.slice(0, back.indexOf("#"));
  assert.equal(
    await error({ grant_type: "authorization_code", code, redirect_uri }),
    "invalid_grant",
  );
  const [later = "", earlier = ""] = ids;
  const executed = async (id: string) => {
    const seen = await readOrder(client, "domestic-scheduled-payment", id);
    assert.ok(["ACSC", "ACCC"].includes(String(seen.Status)), JSON.stringify(seen));
    return Temporal.Instant.from(String(seen.StatusUpdateDateTime));
  };
  const [first, second] = [await executed(earlier), await executed(later)];
  assert.ok(second.since(first).total("days") > 15, `${first} then ${second}`);
  assert.deepEqual(await bank.control("GET", "/verify"), { holds: true, breaches: [] });
});

test("an exchange contract that the bank cannot agree to is refused with the reason", async () => {
  const accountId = (await bank.currentAccounts("amara"))[0]?.accountId;
  const amount = { Amount: "100.00", Currency: "EUR" };
  const wrong: [object, RegExp, number][] = [
    [{ accountId: "nobody's", amount }, /no account/, 404],
    [{ accountId, amount: { ...amount, Currency: "GBP" } }, /already in GBP/, 400],
    [{ accountId, amount: { ...amount, Currency: "XAF" } }, /does not exchange XAF/, 400],
    [{ accountId, amount: { ...amount, Amount: "0" } }, /not a valid amount/, 400],
    [{ accountId, amount: { ...amount, Amount: "1.001" } }, /not a valid amount/, 400],
    [{ accountId, amount, rate: "0" }, /decimal/, 400],
    [{ accountId, amount, rate: "1,2" }, /decimal/, 400],
    [{ accountId, amount, expires: "tomorrow" }, /date-time/, 400],
    [{ accountId, amount, expires: "2020-01-01T00:00:00Z" }, /future/, 400],
    [{ accountId, amount, expires: "9999-12-31T23:59:59-23:59" }, /after 2100/, 400],
    [{ accountId, amount, expires: "+275760-09-13T00:00:00Z" }, /after 2100/, 400],
  ];
  for (const [body, message, status] of wrong) {
    const answer = await call("POST", "/exchange-contracts", body);
    assert.match((await expectRefusal(answer, status)).message, message);
  }
});
