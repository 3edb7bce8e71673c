import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { certificateThumbprint } from "#src/sandbox/directory/keys.ts";
import { type Answer, type Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { withholdScopes } from "#test/clients/stored-settings.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { oauthError } from "./oauth.ts";

let bank: TestBank;
let tpp: TppClient;
before(async () => {
  bank = await openBank();
  tpp = await bank.createTpp();
});
after(() => bank?.close());

async function approve(client = tpp): Promise<Tokens & { consentId: string }> {
  const consentId = await lodgeAccess(client);
  const tokens = await bank.approve(client, { scope: "accounts", consentId, customer: "amara" });
  return { ...tokens, consentId };
}

const type = { "content-type": "application/x-www-form-urlencoded" };
const formOf = (members: Record<string, string>) =>
  Buffer.from(new URLSearchParams(members).toString());

async function introspect(
  client: TppClient,
  token: string,
  { path = "introspection", host = bank.mtlsUrl } = {},
): Promise<Answer> {
  const form = {
    token,
    client_id: client.tpp.clientId,
    ...(client.tpp.tokenEndpointAuthMethod === "private_key_jwt"
      ? {
          client_assertion: await client.assertion(),
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        }
      : {}),
  };
  return client.send(`${host}/token/${path}`, "POST", formOf(form), type);
}

async function isInactive(client: TppClient, token: string): Promise<void> {
  const answer = await introspect(client, token);
  expectStatus(answer, 200);
  // nothing else, not even the client of the token
  assert.deepEqual(answer.body, { active: false });
}

for (const method of ["private_key_jwt", "tls_client_auth"] as const) {
  test(`a client reads the scope, the expiry and the certificate of its own access token (${method})`, async () => {
    const client = await bank.createTpp({ tokenEndpointAuthMethod: method });
    const { access_token: token, refresh_token: refresh = "" } = await approve(client);
    const now = Math.floor(Date.now() / 1000);
    const answer = await introspect(client, token);
    expectStatus(answer, 200);
    const { exp, iat, sub, ...rest } = answer.body as Record<string, unknown>;
    assert.ok(Number(exp) > now && Number(exp) <= Number(iat) + 600 && Number(iat) >= now - 60);
    assert.equal(typeof sub, "string");
    assert.deepEqual(rest, {
      active: true,
      client_id: client.tpp.clientId,
      iss: bank.publicUrl,
      scope: rest.scope,
      cnf: { "x5t#S256": certificateThumbprint(client.tpp.transport.certificatePem) },
      token_type: "Bearer",
    });
    assert.match(String(rest.scope), /\baccounts\b/);
    const refreshing = await introspect(client, refresh);
    assert.partialDeepStrictEqual(refreshing.body, {
      active: true,
      client_id: client.tpp.clientId,
    });
  });
}

test("a client reads its own client credentials token", async () => {
  const answer = await introspect(tpp, await tpp.clientToken("payments"));
  assert.partialDeepStrictEqual(answer.body, { active: true, scope: "payments" });
});

test("another client's token, an unknown one and a revoked one are inactive", async () => {
  const { access_token: token, refresh_token: refresh = "" } = await approve();
  const stranger = await bank.createTpp();
  for (const one of [token, refresh, await tpp.clientToken("accounts"), "unknown"]) {
    await isInactive(stranger, one);
  }
  expectStatus(await introspect(tpp, token, { path: "revocation" }), 200);
  await isInactive(tpp, token);
  assert.partialDeepStrictEqual((await introspect(tpp, refresh)).body, { active: true });
  expectStatus(await introspect(tpp, refresh, { path: "revocation" }), 200);
  await isInactive(tpp, refresh);
});

test("an expired token, and the tokens of a revoked consent, are inactive", async () => {
  const { access_token: token, refresh_token: refresh = "", consentId } = await approve();
  const { access_token: second } = await tpp.refresh(refresh);
  await bank.advance("PT11M");
  await isInactive(tpp, second);
  const { access_token: third } = await tpp.refresh(refresh);
  assert.partialDeepStrictEqual((await introspect(tpp, third)).body, { active: true });
  await bank.control("POST", `/consents/${consentId}/revoke`, {});
  for (const one of [token, third, refresh]) await isInactive(tpp, one);
});

test("a token says that it ends with its consent, and then the API says why it is refused", async () => {
  const end = bank.clock.now().add({ minutes: 2 });
  const consentId = await lodgeAccess(tpp, { ExpirationDateTime: end.toString() });
  const tokens = await bank.approve(tpp, { scope: "accounts", consentId, customer: "amara" });
  const { access_token: refreshed, ...rest } = await tpp.refresh(tokens.refresh_token ?? "");
  for (const { expires_in: seconds } of [tokens, rest]) {
    assert.ok(seconds > 60 && seconds <= 120, `${seconds} seconds`);
  }
  await bank.advance("PT3M");
  for (const token of [tokens.access_token, refreshed]) {
    await isInactive(tpp, token);
    const read = await tpp.call<{ Errors: { ErrorCode: string; Message: string }[] }>({
      path: "/v4.0/aisp/accounts",
      token,
    });
    assert.equal(read.status, 401);
    const [error] = read.body.Errors;
    assert.equal(error?.ErrorCode, "TKXP");
    assert.match(error?.Message ?? "", /consent has expired/);
  }
});

test("R-112: a token with a scope that the directory withholds is inactive", async () => {
  const client = await bank.createTpp();
  const [payments, accounts] = [
    await client.clientToken("payments"),
    await client.clientToken("accounts"),
  ];
  await withholdScopes(bank.database, client.tpp.clientId, ["payments"]);
  await isInactive(client, payments);
  assert.partialDeepStrictEqual((await introspect(client, accounts)).body, { active: true });
});

test("R-155: a suspended client cannot introspect its tokens", async () => {
  const client = await bank.createTpp();
  const token = await client.clientToken("accounts");
  await bank.control("PUT", `/clients/${client.tpp.clientId}/status`, { status: "suspended" });
  const refused = await introspect(client, token);
  assert.equal(refused.status, 401);
  assert.equal(oauthError(refused), "invalid_client");
});

test("introspection without a client certificate, with another client's or without authentication is refused", async () => {
  const token = await tpp.clientToken("accounts");
  const bare = await introspect(tpp, token, { host: bank.publicUrl });
  assert.equal(bare.status, 401, bare.raw.toString());
  const { transport } = (await bank.createTpp()).tpp;
  const thief = new TppClient(bank, { ...tpp.tpp, transport });
  const stolen = await introspect(thief, token).finally(() => thief.close());
  assert.equal(stolen.status, 401);
  const url = `${bank.mtlsUrl}/token/introspection`;
  const silent = await tpp.send(url, "POST", formOf({ token }), type);
  assert.equal(silent.status, 400);
  for (const answer of [bare, stolen]) assert.equal(oauthError(answer), "invalid_client");
});
