import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { sha256 } from "#src/lib/hash.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type AuthBed, fragmentOf, openAuthBed } from "./auth-bed.ts";

let bed: AuthBed;
before(async () => {
  bed = await openAuthBed();
});
after(() => bed.close());

async function verifyIdToken(token: string, audience: string) {
  const jwks = await (await fetch(`${bed.publicUrl}/jwks`)).json();
  return jwtVerify(token, createLocalJWKSet(jwks as JSONWebKeySet), {
    issuer: bed.publicUrl,
    audience,
    algorithms: ["PS256"],
  });
}

const halfHash = (text: string): string =>
  createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url");

type TokenRow = {
  kind: string;
  scope: string;
  thumbprint: string | null;
  grant: string | null;
  payload: object;
};

const tokenRow = (token: string): Promise<TokenRow | undefined> =>
  first<TokenRow>(
    bed.database,
    sql`select kind, scope, certificate_thumbprint as thumbprint, grant_id as grant, payload
      from access_token where token_hash = ${sha256(token)}`,
  );

for (const tokenEndpointAuthMethod of ["private_key_jwt", "tls_client_auth"] as const) {
  test(`A-053: the hybrid flow ends with bound tokens that expire (${tokenEndpointAuthMethod})`, async () => {
    const tpp = await bed.createTpp({ tokenEndpointAuthMethod });
    const cc = await tpp.clientToken("accounts");
    const ccRow = await tokenRow(cc);
    assert.equal(ccRow?.kind, "client_credentials");
    assert.equal(ccRow?.scope, "accounts");
    assert.ok(ccRow?.thumbprint);

    const consentId = await bed.lodge(tpp, "account-access", {
      expiresAt: bed.clock.now().add({ hours: 24 * 90 }),
    });
    const state = "state-é-1";
    const url = await tpp.authorizationUrl({ scope: "accounts", consentId, state, nonce: "n-1" });
    const redirectUrl = await bed.authorise({ authorizationUrl: url });
    const answer = fragmentOf(redirectUrl);
    assert.equal(answer.state, state);
    assert.equal(answer.iss, bed.publicUrl, "as the discovery document says");
    const front = await verifyIdToken(answer.id_token ?? "", tpp.tpp.clientId);
    assert.equal(front.payload.openbanking_intent_id, consentId);
    assert.equal(front.payload.acr, "urn:openbanking:psd2:sca");
    assert.equal(front.payload.nonce, "n-1");
    assert.equal(front.payload.s_hash, halfHash(state));
    assert.equal(front.payload.c_hash, halfHash(answer.code ?? ""));
    assert.equal(typeof front.payload.auth_time, "number");

    const tokens = await tpp.exchangeCode(redirectUrl);
    assert.equal(tokens.expires_in, 600);
    const back = await verifyIdToken(tokens.id_token ?? "", tpp.tpp.clientId);
    assert.equal(back.payload.openbanking_intent_id, consentId);
    assert.equal(back.payload.sub, front.payload.sub);
    assert.equal(back.payload.acr, "urn:openbanking:psd2:sca");
    const end = back.payload["http://openbanking.org.uk/refresh_token_expires_at"];
    const left = Number(end) - bed.clock.now().epochMilliseconds / 1000;
    assert.ok(left > 89 * 86_400 && left <= 90 * 86_400);

    const consent = await bed.consent(consentId);
    assert.equal(consent.status, "AUTH");
    assert.deepEqual(consent.accounts, ["101", "102"]);
    const row = await tokenRow(tokens.access_token);
    assert.equal(row?.kind, "authorization_code");
    assert.equal(row?.scope, "openid accounts");
    assert.equal(row?.grant, consent.grant);
    assert.equal(row?.thumbprint, ccRow?.thumbprint);
    assert.ok(!JSON.stringify(row?.payload).includes(tokens.access_token));

    const me = await tpp.send(`${bed.mtlsUrl}/me`, "GET", undefined, {
      authorization: `Bearer ${tokens.access_token}`,
      accept: "application/json",
    });
    assert.equal(me.status, 200);
    assert.deepEqual(me.body, { sub: front.payload.sub, openbanking_intent_id: consentId });
    const refreshed = await tpp.refresh(tokens.refresh_token ?? "");
    assert.equal((await tokenRow(refreshed.access_token))?.grant, consent.grant);
    assert.equal(refreshed.refresh_token, tokens.refresh_token);
  });
}

test("codes, tokens and grants are stored only as hashes", async () => {
  const tpp = await bed.createTpp();
  const consentId = await bed.lodge(tpp, "account-access");
  const url = await tpp.authorizationUrl({ scope: "accounts", consentId });
  const redirectUrl = await bed.authorise({ authorizationUrl: url });
  const tokens = await tpp.exchangeCode(redirectUrl);
  const rows = await bed.database.query<{ text: string }>(
    sql`select id_hash || payload::text as text from oidc_artifact
      union all select token_hash || payload::text from access_token`,
  );
  const all = rows.map(({ text }) => text).join("\n");
  const bearers = [fragmentOf(redirectUrl).code, tokens.access_token, tokens.refresh_token];
  for (const bearer of bearers) assert.ok(bearer && !all.includes(bearer));
});

test("a payment consent gives one account and no refresh token", async () => {
  const tpp = await bed.createTpp();
  const consentId = await bed.lodge(tpp, "domestic-payment");
  const url = await tpp.authorizationUrl({ scope: "payments", consentId });
  const tokens = await tpp.exchangeCode(await bed.authorise({ authorizationUrl: url }));
  assert.equal(tokens.refresh_token, undefined);
  assert.deepEqual((await bed.consent(consentId)).accounts, ["101"]);
});

test("a pushed request with PKCE works in place of a request by value", async () => {
  const tpp = await bed.createTpp();
  const consentId = await bed.lodge(tpp, "account-access");
  const verifier = "v".repeat(64);
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const byValue = new URL(
    await tpp.authorizationUrl({
      scope: "accounts",
      consentId,
      overrides: { code_challenge: challenge, code_challenge_method: "S256" },
    }),
  );
  const form = new URLSearchParams({
    request: byValue.searchParams.get("request") ?? "",
    client_id: tpp.tpp.clientId,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await tpp.assertion({ aud: `${bed.mtlsUrl}/request` }),
  });
  const pushed = await tpp.send(`${bed.mtlsUrl}/request`, "POST", Buffer.from(form.toString()), {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
  });
  assert.equal(pushed.status, 201, pushed.raw.toString());
  const url = new URL(`${bed.publicUrl}/auth`);
  url.searchParams.set("client_id", tpp.tpp.clientId);
  url.searchParams.set("request_uri", (pushed.body as { request_uri: string }).request_uri);
  const redirectUrl = await bed.authorise({ authorizationUrl: url.href });
  const code = fragmentOf(redirectUrl).code ?? "";
  const tokens = await tpp.token({
    grant_type: "authorization_code",
    code,
    redirect_uri: tpp.tpp.redirectUris[0] ?? "",
    code_verifier: verifier,
  });
  assert.ok(tokens.access_token);
});

test("response type code alone is refused, and works with JARM as a signed JWT", async () => {
  const tpp = await bed.createTpp();
  const consentId = await bed.lodge(tpp, "account-access");
  const asCode = async (mode: Record<string, unknown>): Promise<string> => {
    const overrides = { response_type: "code", ...mode };
    const url = new URL(await tpp.authorizationUrl({ scope: "accounts", consentId, overrides }));
    url.searchParams.set("response_type", "code");
    return bed.authorise({ authorizationUrl: url.href });
  };
  const plain = new URL(await asCode({}));
  assert.equal(plain.searchParams.get("error"), "invalid_request");
  const jarm = new URL(await asCode({ response_mode: "jwt" }));
  const answer = await verifyIdToken(jarm.searchParams.get("response") ?? "", tpp.tpp.clientId);
  assert.equal(typeof answer.payload.code, "string");
});
