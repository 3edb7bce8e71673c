import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { JWTPayload } from "jose";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { TppClient as Client } from "#src/sandbox/test-tpp/tpp-client.ts";
import { setClientStatus } from "#test/clients/stored-settings.ts";
import { type AuthBed, fragmentOf, openAuthBed } from "./auth-bed.ts";
import { assertTokenRefused, authorised, oauthError } from "./oauth.ts";

let bed: AuthBed;
let tpp: TppClient;
before(async () => {
  bed = await openAuthBed();
  tpp = await bed.createTpp();
});
after(() => bed.close());

const now = (): number => Math.floor(Date.now() / 1000);

const assertionFaults: [name: string, claims: JWTPayload][] = [
  ["an audience other than the bank", { aud: "https://elsewhere.example" }],
  ["an expiry five minutes ago", { exp: now() - 300 }],
  ["another issuer", { iss: "someone" }],
  ["another subject", { sub: "someone" }],
];
for (const [name, claims] of assertionFaults) {
  test(`a client assertion with ${name} is refused`, async () => {
    const assertion = await tpp.assertion(claims);
    await assertTokenRefused(
      tpp,
      {
        grant_type: "client_credentials",
        scope: "accounts",
        client_assertion: assertion,
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      },
      claims.sub ? "invalid_request" : "invalid_client",
    );
  });
}

for (const audience of ["issuer", "token", "mtls token", "list"] as const) {
  test(`a client assertion for the ${audience} is accepted`, async () => {
    const aud = {
      issuer: bed.publicUrl,
      token: `${bed.publicUrl}/token`,
      "mtls token": `${bed.mtlsUrl}/token`,
      list: ["https://elsewhere.example", bed.publicUrl],
    }[audience];
    const answer = await tpp.token({
      grant_type: "client_credentials",
      scope: "accounts",
      client_assertion: await tpp.assertion({ aud }),
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    });
    assert.equal(answer.expires_in, 600);
  });
}

test("a client assertion can be used once, even by two concurrent requests", async () => {
  const assertion = await tpp.assertion();
  const parameters = {
    grant_type: "client_credentials",
    scope: "accounts",
    client_assertion: assertion,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  };
  const answers = await Promise.all([1, 2, 3, 4].map(() => tpp.tokenAnswer(parameters)));
  assert.deepEqual(
    answers.map(({ status }) => status).sort(),
    [200, 401, 401, 401],
    answers.map(({ raw }) => raw.toString()).join(),
  );
});

const withAssertion = (client_assertion: string) => ({
  client_assertion,
  client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
});

const exchangeOf = (redirectUrl: string) => ({
  grant_type: "authorization_code",
  code: fragmentOf(redirectUrl).code ?? "",
  redirect_uri: redirectUrl.slice(0, redirectUrl.indexOf("#")),
});

test("a client assertion that was used before neither uses nor revokes a code", async () => {
  const { redirectUrl } = await authorised(bed, tpp, "account-access");
  const used = withAssertion(await tpp.assertion());
  await tpp.token({ grant_type: "client_credentials", scope: "accounts", ...used });
  const exchange = exchangeOf(redirectUrl);
  await assertTokenRefused(tpp, { ...exchange, ...used }, "invalid_client");
  const tokens = await tpp.token(exchange);
  await assertTokenRefused(tpp, { ...exchange, ...used }, "invalid_client");
  assert.ok((await tpp.refresh(tokens.refresh_token ?? "")).access_token);
});

test("if two codes are exchanged at the same time with one assertion, one code remains usable", async () => {
  const exchanges = [];
  for (let n = 0; n < 2; n++) {
    const { redirectUrl } = await authorised(bed, tpp, "account-access");
    exchanges.push(exchangeOf(redirectUrl));
  }
  const shared = withAssertion(await tpp.assertion());
  const answers = await Promise.all(
    exchanges.map((exchange) => tpp.tokenAnswer({ ...exchange, ...shared })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
  const left = exchanges[answers.findIndex(({ status }) => status === 401)];
  assert.ok(left && (await tpp.token(left)).access_token);
});

test("a client assertion is used up even if its request gets no token", async () => {
  const used = withAssertion(await tpp.assertion());
  const unknown = { grant_type: "authorization_code", code: "unknown", redirect_uri: "http://a/" };
  await assertTokenRefused(tpp, { ...unknown, ...used }, "invalid_grant");
  const valid = { grant_type: "client_credentials", scope: "accounts" };
  await assertTokenRefused(tpp, { ...valid, ...used }, "invalid_client");
});

test("a scope beyond the client's roles is refused", async () => {
  const reader = await bed.createTpp({ roles: ["AISP"] });
  const parameters = { grant_type: "client_credentials", scope: "payments" };
  await assertTokenRefused(reader, parameters, "invalid_scope");
});

test("a client with bound tokens gets none without its certificate or with another certificate", async () => {
  const parameters = {
    grant_type: "client_credentials",
    scope: "accounts",
    client_id: tpp.tpp.clientId,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  };
  const form = new URLSearchParams({ ...parameters, client_assertion: await tpp.assertion() });
  const answer = await tpp.send(`${bed.publicUrl}/token`, "POST", Buffer.from(form.toString()), {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  });
  assert.equal(answer.status, 400);
  assert.equal(oauthError(answer), "invalid_grant");
  const other = await bed.createTpp();
  const mixed = await bed.createTpp({ tokenEndpointAuthMethod: "tls_client_auth" });
  const thief = new Client(mixed.bank, { ...mixed.tpp, transport: other.tpp.transport });
  await assertTokenRefused(
    thief,
    { grant_type: "client_credentials", scope: "accounts" },
    "invalid_client",
  );
  thief.close();
});

test("a client with unbound tokens is served on loopback, but not through a proxy", async () => {
  const explorer = await bed.createTpp({ certificateBound: false });
  assert.ok(await explorer.clientToken("accounts"));
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    scope: "accounts",
    client_assertion: await explorer.assertion(),
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  });
  const answer = await explorer.send(
    `${bed.publicUrl}/token`,
    "POST",
    Buffer.from(form.toString()),
    { "content-type": "application/x-www-form-urlencoded", "x-forwarded-for": "192.0.2.1" },
  );
  assert.equal(answer.status, 401);
  assert.equal(oauthError(answer), "invalid_client");
});

test("an unbound token works at userinfo on loopback, but not through a proxy", async () => {
  const explorer = await bed.createTpp({ certificateBound: false });
  const { redirectUrl } = await authorised(bed, explorer, "account-access");
  const { access_token: token } = await explorer.exchangeCode(redirectUrl);
  const ask = (headers: Record<string, string>) =>
    explorer.send(`${bed.publicUrl}/me`, "GET", undefined, {
      authorization: `Bearer ${token}`,
      ...headers,
    });
  assert.equal((await ask({})).status, 200);
  const proxied = await ask({ "x-forwarded-for": "192.0.2.1" });
  assert.equal(proxied.status, 401);
  assert.equal(oauthError(proxied), "invalid_token");
  assert.match(String(proxied.headers["www-authenticate"]), /The access token is not bound/);
});

test("a suspended client is treated as unknown", async () => {
  const bad = await bed.createTpp();
  await setClientStatus(bed.database, bad.tpp.clientId, "suspended");
  const parameters = { grant_type: "client_credentials", scope: "accounts" };
  await assertTokenRefused(bad, parameters, "invalid_client");
});

for (const path of ["/token", "/token/revocation", "/token/introspection", "/request"]) {
  test(`an error of ${path} is JSON even if the request accepts only HTML`, async () => {
    const form = Buffer.from("client_id=nobody&grant_type=client_credentials");
    const answer = await tpp.send(`${bed.mtlsUrl}${path}`, "POST", form, {
      "content-type": "application/x-www-form-urlencoded",
      accept: "text/html",
    });
    assert.equal(answer.status, 401);
    assert.match(String(answer.headers["content-type"]), /^application\/json/);
    assert.equal((answer.body as { error: string }).error, "invalid_client");
  });
}
