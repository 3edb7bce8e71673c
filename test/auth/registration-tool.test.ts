// The official conformance tool for registration, and TPPs that were written with it, call the
// endpoints that the plain members of discovery name, with a client certificate. These tests send
// the tool's requests.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { calculateJwkThumbprint, exportJWK, importPKCS8, type JWTPayload, SignJWT } from "jose";
import { generateRsaKey } from "#src/sandbox/directory/keys.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { sql } from "#src/storage/sql.ts";
import { addSigningKey } from "#test/clients/added-key.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { oauthError } from "./oauth.ts";

type Discovery = { issuer: string; token_endpoint: string };

let bed: AuthBed;
let byKey: TppClient;
let byCertificate: TppClient;
let discovery: Discovery;
before(async () => {
  bed = await openAuthBed();
  byKey = await bed.createTpp();
  byCertificate = await bed.createTpp({ tokenEndpointAuthMethod: "tls_client_auth" });
  const answer = await fetch(`${bed.publicUrl}/.well-known/openid-configuration`);
  discovery = (await answer.json()) as Discovery;
});
after(() => bed.close());

const minute = 60;

/** Signs an assertion as the tool does: for half an hour, and without kid in its header. */
async function toolAssertion(
  tpp: TppClient,
  claims: JWTPayload = {},
  privateKeyPem = tpp.tpp.signing.privateKeyPem,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    iss: tpp.tpp.clientId,
    sub: tpp.tpp.clientId,
    aud: discovery.token_endpoint,
    jti: randomUUID(),
    iat: now,
    exp: now + 30 * minute,
    ...claims,
  })
    .setProtectedHeader({ alg: "PS256", typ: "JWT" })
    .sign(await importPKCS8(privateKeyPem, "PS256"));
}

const askToken = (tpp: TppClient, form: Record<string, string>): Promise<Answer> =>
  tpp.send(
    discovery.token_endpoint,
    "POST",
    Buffer.from(new URLSearchParams({ grant_type: "client_credentials", ...form }).toString()),
    { "content-type": "application/x-www-form-urlencoded" },
  );

const withAssertion = (assertion: string) => ({
  client_assertion: assertion,
  client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
});

test("R-025: discovery is served to a caller without a client certificate", async () => {
  const answer = await fetch(`${bed.publicUrl}/.well-known/openid-configuration`);
  assert.equal(answer.status, 200);
  assert.equal(discovery.issuer, bed.publicUrl);
});

test("R-024, R-146: the tool gets a token by tls_client_auth at the token_endpoint of discovery", async () => {
  const { clientId } = byCertificate.tpp;
  const answer = await askToken(byCertificate, { client_id: clientId, scope: "" });
  assert.equal(answer.status, 200, answer.raw.toString());
});

test("R-024, R-146: the tool gets a token by private_key_jwt at the token_endpoint of discovery", async () => {
  const answer = await askToken(byKey, {
    ...withAssertion(await toolAssertion(byKey)),
    scope: "",
  });
  assert.equal(answer.status, 200, answer.raw.toString());
});

for (const [name, form] of [
  ["an empty", { scope: "" }],
  ["a missing", {}],
] as const) {
  test(`R-014: client_credentials with an empty or missing scope returns a token without scope (${name})`, async () => {
    const answer = await askToken(byKey, {
      ...withAssertion(await toolAssertion(byKey)),
      ...form,
    });
    assert.equal(answer.status, 200, answer.raw.toString());
    const body = answer.body as { access_token: string; scope?: string };
    assert.equal(body.scope, undefined);
    const [row] = await bed.database.query<{ scope: string; count: number }>(
      sql`select scope, count(*) over () as count from access_token
        where client_id = ${byKey.tpp.clientId} order by expires_at desc limit 1`,
    );
    assert.equal(row?.scope, "");
  });
}

for (const [name, audience] of [
  ["the token_endpoint of discovery", () => discovery.token_endpoint],
  ["the issuer", () => discovery.issuer],
  ["the token endpoint on the issuer's host", () => `${bed.publicUrl}/token`],
  ["the token endpoint on the mutual TLS host", () => `${bed.mtlsUrl}/token`],
] as const) {
  test(`R-145: a client assertion that is valid for 30 minutes is accepted, with each allowed aud (${name})`, async () => {
    const answer = await askToken(
      byKey,
      withAssertion(await toolAssertion(byKey, { aud: audience() })),
    );
    assert.equal(answer.status, 200, answer.raw.toString());
  });
}

test("R-144: a client assertion without kid verifies with each key of the client", async () => {
  const tpp = await bed.createTpp();
  const keys = [tpp.tpp.signing.privateKeyPem];
  for (const at of ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]) {
    const { privateKeyPem } = await generateRsaKey();
    const { n, e, kty } = await exportJWK(
      await importPKCS8(privateKeyPem, "PS256", { extractable: true }),
    );
    const jwk = { n, e, kty } as { n: string; e: string; kty: "RSA" };
    const kid = await calculateJwkThumbprint(jwk);
    const key = { ...jwk, kid, use: "sig" };
    await addSigningKey(bed.database, tpp.tpp.clientId, key, Temporal.Instant.from(at));
    keys.push(privateKeyPem);
  }
  for (const key of keys) {
    const answer = await askToken(tpp, withAssertion(await toolAssertion(tpp, {}, key)));
    assert.equal(answer.status, 200, answer.raw.toString());
  }
  const { privateKeyPem: foreign } = await generateRsaKey();
  const refused = await askToken(tpp, withAssertion(await toolAssertion(tpp, {}, foreign)));
  assert.equal(refused.status, 401);
  assert.equal(oauthError(refused), "invalid_client");
});
