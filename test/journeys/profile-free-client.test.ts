// A TPP should not need a profile for this bank. These tests check that it has none of the
// deviations of real banks for which client libraries have a switch, such as the bank profiles of
// https://github.com/finlabsuk/open-banking-connector.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import {
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JWTPayload,
  jwtVerify,
} from "jose";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import { lodge, lodgeAccess, type Resource, readConsent } from "./payments.ts";
import { type Access, type Bed, openBed, type Page, type Paid } from "./profile-free.ts";

type Discovery = Record<string, unknown> & { issuer: string; jwks_uri: string };

let bed: Bed;
let bank: TestBank;
let client: TppClient;
let access: Access;
let paid: Paid;
let discovery: Discovery;
before(async () => {
  bed = await openBed();
  ({ bank, client } = bed);
  const path = "/.well-known/openid-configuration";
  discovery = (await (await fetch(`${bank.publicUrl}${path}`)).json()) as Discovery;
  access = await bed.grantAccess();
  paid = await bed.pay();
});
after(() => bank?.close());

const read = <Body = Resource>(path: string, token = access.tokens.access_token) =>
  bed.read<Body>(path, token);
const allTransactions = () => bed.transactions(access);
const transactionsPath = () => `/accounts/${access.accountId}/transactions`;
const idToken = (token: string | undefined): JWTPayload => decodeJwt(token ?? "");

test("the discovery document is below the issuer, and names the issuer", () => {
  assert.equal(discovery.issuer, bank.publicUrl);
});

test("every listed response mode works, including fragment", async () => {
  const modes = discovery.response_modes_supported as string[];
  assert.ok(modes.includes("fragment") && modes.includes("query"));
  // a response without an id_token and without a signature is for clients of FAPI 2.0 only
  const fapi2 = await bank.createTpp({ profile: "fapi2" });
  for (const mode of modes) {
    if (mode.startsWith("form_post")) continue; // a page that submits itself
    // an id_token must not be in a query, so that mode is used with a code only
    const isQuery = mode.startsWith("query");
    const response_type = isQuery ? "code" : "code id_token";
    const sender = mode === "query" ? fapi2 : client;
    const url = new URL(
      await sender.authorizationUrl({
        scope: "accounts",
        consentId: await lodgeAccess(sender),
        overrides: { response_mode: mode, response_type },
      }),
    );
    if (sender === client) url.searchParams.set("response_type", response_type);
    const refusal = { customer: "amara", decision: "deny" } as const;
    const answered = await bank.decide({ authorizationUrl: url.href, ...refusal });
    const back = new URL(answered.redirectUrl);
    const place = isQuery ? back.search : back.hash;
    const answer = new URLSearchParams(place.slice(1));
    const error = answer.get("error") ?? idToken(answer.get("response") ?? "").error;
    assert.equal(error, "access_denied", mode);
  }
});

test("the JWKS has the member `keys`, and its keys verify the bank's signatures", async () => {
  const jwks = (await (await fetch(discovery.jwks_uri)).json()) as { keys: object[] };
  assert.ok(Array.isArray(jwks.keys) && jwks.keys.length > 0);
  const keys = createRemoteJWKSet(new URL(discovery.jwks_uri));
  await jwtVerify(access.tokens.id_token ?? "", keys, {
    issuer: discovery.issuer,
    audience: client.tpp.clientId,
    algorithms: discovery.id_token_signing_alg_values_supported as string[],
    currentDate: new Date(bank.clock.now().epochMilliseconds),
  });
});

test("a TPP is recognised by its certificate's subject in any notation", async () => {
  const tls = await bank.createTpp({ tokenEndpointAuthMethod: "tls_client_auth" });
  assert.ok(await tls.clientToken("accounts"));
});

test("the client authentication methods are those that FAPI allows and discovery lists", async () => {
  assert.deepEqual([...(discovery.token_endpoint_auth_methods_supported as string[])].sort(), [
    "private_key_jwt",
    "tls_client_auth",
  ]);
  const form = new URLSearchParams({ grant_type: "client_credentials", scope: "accounts" });
  form.set("client_id", client.tpp.clientId);
  form.set("client_secret", "x");
  const answer = await fetch(`${bank.publicUrl}/token`, { method: "POST", body: form });
  assert.ok([400, 401].includes(answer.status));
  assert.equal(((await answer.json()) as { error: string }).error, "invalid_client");
});

test("R-014: no API accepts a token without scope", async () => {
  const tokens = await client.token({ grant_type: "client_credentials", scope: "" });
  for (const path of [
    "/v3.1/aisp/account-access-consents/any",
    "/v4.0/pisp/domestic-payment-consents/any",
    "/v4.0/cbpii/funds-confirmation-consents/any",
  ]) {
    const answer = await client.call({ path, token: tokens.access_token });
    assert.equal(answer.status, 403, path);
    assert.match(String(answer.headers["www-authenticate"]), /insufficient_scope/);
  }
});

test("a request object's audience is the issuer", async () => {
  const consentId = await lodgeAccess(client);
  const url = await client.authorizationUrl({ scope: "accounts", consentId });
  const request = new URL(url).searchParams.get("request") ?? "";
  assert.equal(decodeJwt(request).aud, discovery.issuer);
  const [account] = await bank.currentAccounts("amara");
  const { redirectUrl: back } = await bank.decide({
    authorizationUrl: url,
    customer: "amara",
    decision: "approve",
    accounts: [account?.accountId ?? ""],
  });
  assert.match(back, /#.*code=/);
});

test("state and nonce may be inside the request object only", async () => {
  const consentId = await lodgeAccess(client);
  const url = await client.authorizationUrl({ scope: "accounts", consentId, state: "only-inside" });
  const outside = new URL(url).searchParams;
  assert.ok(!outside.has("state") && !outside.has("nonce"));
  const { redirectUrl: back } = await bank.decide({
    authorizationUrl: url,
    customer: "amara",
    decision: "deny",
  });
  assert.match(back, /state=only-inside/);
});

test("all customers share one issuer and one set of endpoints", () => {
  for (const [name, value] of Object.entries(discovery)) {
    if (name.endsWith("_endpoint")) assert.match(String(value), /^https?:\/\//, name);
  }
});

test("id_tokens have acr, auth_time, nonce, the intent, and times in seconds", () => {
  const both = [access.redirect.get("id_token") ?? "", access.tokens.id_token ?? ""];
  for (const token of both) {
    const claims = idToken(token);
    assert.equal(claims.acr, "urn:openbanking:psd2:sca");
    assert.equal(claims.nonce, "nonce-1");
    assert.equal(claims.openbanking_intent_id, access.consentId);
    assert.equal(claims.aud, client.tpp.clientId);
    const seconds = bank.clock.now().epochMilliseconds / 1000;
    for (const name of ["iat", "exp", "auth_time"]) {
      assert.ok(Math.abs(Number(claims[name]) - seconds) < 10_000, `${name} ${claims[name]}`);
    }
  }
});

test("`sub` is the customer, the same for all of the customer's consents", async () => {
  const other = await bed.grantAccess();
  const subject = idToken(access.tokens.id_token).sub;
  assert.equal(idToken(other.tokens.id_token).sub, subject);
  assert.notEqual(subject, access.consentId);
  assert.notEqual(subject, client.tpp.clientId);
});

test("a refresh returns an id_token too, with valid claims", async () => {
  const renewed = await client.refresh((await bed.grantAccess()).tokens.refresh_token ?? "");
  const claims = idToken(renewed.id_token);
  assert.equal(claims.sub, idToken(access.tokens.id_token).sub);
  assert.equal(claims.iss, discovery.issuer);
});

test("token_type is `Bearer`", async () => {
  const own = await client.token({ grant_type: "client_credentials", scope: "payments" });
  for (const tokens of [own, access.tokens]) assert.equal(tokens.token_type, "Bearer");
});

test("`scope` is a string, equal to the requested scope", async () => {
  const own = await client.token({ grant_type: "client_credentials", scope: "payments" });
  assert.equal(own.scope, "payments");
  assert.equal(access.tokens.scope, "openid accounts");
});

test("account access has a refresh token, and client credentials do not", async () => {
  assert.ok(access.tokens.refresh_token);
  const own = await client.token({ grant_type: "client_credentials", scope: "accounts" });
  assert.equal(own.refresh_token, undefined);
});

test("a failed refresh does not use up the refresh token", async () => {
  const { tokens } = await bed.grantAccess();
  const refresh_token = tokens.refresh_token ?? "";
  const failed = await client.tokenAnswer({
    grant_type: "refresh_token",
    refresh_token,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await client.assertion({ aud: "https://elsewhere.example" }),
  });
  assert.equal(failed.status, 401);
  const renewed = await client.refresh(refresh_token);
  assert.equal((await read("/accounts", renewed.access_token)).status, 200);
  // a client that lost the response repeats the request with the token that it has
  const again = await client.refresh(refresh_token);
  assert.equal((await read("/accounts", again.access_token)).status, 200);
});

test("an account consent can be authorised again", async () => {
  const first = await bed.grantAccess();
  const grant = { scope: "accounts" as const, consentId: first.consentId, customer: "amara" };
  const again = await bank.approve(client, grant);
  assert.equal((await read("/accounts", again.access_token)).status, 200);
});

test("signatures use the algorithms that discovery lists", () => {
  const { alg, kid } = decodeProtectedHeader(access.tokens.id_token ?? "");
  assert.ok((discovery.id_token_signing_alg_values_supported as string[]).includes(alg ?? ""));
  assert.ok(kid);
});

test("Links.Self of a POST contains the new id", async () => {
  const consent = await client.call<Resource>({
    path: "/v3.1/aisp/account-access-consents",
    token: await client.clientToken("accounts"),
    body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
  });
  expectStatus(consent, 201);
  assert.ok(consent.body.Links.Self.endsWith(`/${consent.body.Data.ConsentId}`));
  assert.ok(paid.answer.body.Links.Self.endsWith(`/domestic-payments/${paid.orderId}`));
});

test("Links.Self can be requested as it is, and returns itself", async () => {
  const token = await client.clientToken("payments");
  const self = paid.answer.body.Links.Self;
  assert.ok(self.startsWith(`${bank.mtlsUrl}/api/open-banking/v4.0/pisp/`), self);
  assert.doesNotMatch(new URL(self).pathname, /\/\//);
  const again = await client.call<Resource>({ path: self, token });
  expectStatus(again, 200);
  assert.equal(again.body.Links.Self, self);
  const filtered = `${transactionsPath()}?fromBookingDateTime=2020-01-01T00:00:00`;
  const page = await read<Page>(filtered);
  expectStatus(page, 200);
  assert.match(page.body.Links.Self, /transactions\?.*fromBookingDateTime=/);
});

test("following Next to the last page returns every item once", async () => {
  const all = await allTransactions();
  assert.ok(all.length > 50);
  assert.equal(new Set(all.map((one) => one.TransactionId)).size, all.length);
});

test("a created resource can be read, authorised and used immediately", async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const { consentId } = await lodge(client);
    const seen = await readConsent(client, "domestic-payment-consents", consentId);
    assert.equal(seen.status, "AWAU");
    const given = await bed.grantAccess();
    const lodged = await readConsent(client, "account-access-consents", given.consentId);
    assert.equal(lodged.status, "Authorised");
    assert.equal((await read("/accounts", given.tokens.access_token)).status, 200);
  }
});

test("a refusal names unsupported permissions, and supported ones are accepted", async () => {
  const document = JSON.stringify(
    await (await fetch(`${bank.publicUrl}/openapi/aisp-v3.1.json`)).json(),
  );
  const list = /"Permissions":\{[^}]*"enum":(\[[^\]]*\])/.exec(document)?.[1] ?? "[]";
  const codes: string[] = JSON.parse(list);
  assert.ok(codes.length >= 20, document.slice(0, 100));
  const ask = async (Permissions: string[]) =>
    client.call<{ Errors?: { Message: string }[] }>({
      path: "/v3.1/aisp/account-access-consents",
      token: await client.clientToken("accounts"),
      body: { Data: { Permissions }, Risk: {} },
    });
  const all = await ask(codes);
  const missing =
    all.status === 201
      ? []
      : codes.filter((code) => {
          const words = all.body.Errors?.map(({ Message }) => Message).join() ?? "";
          return new RegExp(`\\b${code}\\b`).test(words);
        });
  expectStatus(await ask(codes.filter((code) => !missing.includes(code))), 201);
});

test("a consent may last longer than 90 days, or without limit", async () => {
  const far = bank.clock
    .now()
    .add({ hours: 24 * 400 })
    .toString({ smallestUnit: "second" });
  await lodgeAccess(client, { ExpirationDateTime: far });
  await lodgeAccess(client);
});

test("a new consent has a body with a standard status", async () => {
  const consentId = await lodgeAccess(client);
  const { status } = await readConsent(client, "account-access-consents", consentId);
  assert.equal(status, "AwaitingAuthorisation");
});

test("paths are the standard's, below the configured address", () => {
  const { pathname, origin } = new URL(paid.answer.body.Links.Self);
  assert.equal(origin, bank.mtlsUrl);
  assert.match(pathname, /^\/api\/open-banking\/v4\.0\/pisp\/domestic-payments\/[\w-]+$/);
});

test("a refusal has a JSON body or none, and an interaction id", async () => {
  const id = randomUUID();
  const token = await client.clientToken("payments");
  const calls = [
    { path: "/v4.0/pisp/domestic-payments/none", token },
    { path: "/v4.0/pisp/domestic-payments/none", token: null },
    { path: "/v4.0/pisp/none", token },
    { path: "/v4.0/pisp/domestic-payment-consents", token, body: "{" },
    { path: "/v3.1/aisp/accounts", token },
  ];
  for (const call of calls) {
    const answer = await client.call({ ...call, headers: { "x-fapi-interaction-id": id } });
    assert.ok(answer.status >= 400, call.path);
    assert.equal(answer.headers["x-fapi-interaction-id"], id);
    if (answer.raw.length > 0) assert.match(answer.headers["content-type"] ?? "", /json/);
  }
});
