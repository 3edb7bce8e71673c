import assert from "node:assert/strict";
import { createPublicKey, type JsonWebKeyInput, X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";

type Document = Record<string, unknown> & {
  mtls_endpoint_aliases: Record<string, string>;
};

let bed: AuthBed;
let tpp: TppClient;
let document: Document;
before(async () => {
  bed = await openAuthBed();
  tpp = await bed.createTpp();
  document = (await (
    await fetch(`${bed.publicUrl}/.well-known/openid-configuration`)
  ).json()) as Document;
});
after(() => bed.close());

test("the discovery document has every member that FAPI and Open Banking UK require", () => {
  const expected = {
    issuer: bed.publicUrl,
    authorization_endpoint: `${bed.publicUrl}/auth`,
    token_endpoint: `${bed.mtlsUrl}/token`,
    jwks_uri: `${bed.publicUrl}/jwks`,
    userinfo_endpoint: `${bed.mtlsUrl}/me`,
    revocation_endpoint: `${bed.mtlsUrl}/token/revocation`,
    introspection_endpoint: `${bed.mtlsUrl}/token/introspection`,
    pushed_authorization_request_endpoint: `${bed.mtlsUrl}/request`,
    response_types_supported: ["code id_token", "code"],
    grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
    scopes_supported: ["openid", "accounts", "payments", "fundsconfirmations"],
    acr_values_supported: ["urn:openbanking:psd2:sca"],
    subject_types_supported: ["public"],
    claims_parameter_supported: true,
    request_parameter_supported: true,
    request_uri_parameter_supported: false,
    require_signed_request_object: true,
    authorization_response_iss_parameter_supported: true,
    tls_client_certificate_bound_access_tokens: true,
    token_endpoint_auth_methods_supported: ["private_key_jwt", "tls_client_auth"],
    // a client gets ES256 only with the setting REGISTRATION_ES256
    token_endpoint_auth_signing_alg_values_supported: ["PS256"],
    request_object_signing_alg_values_supported: ["PS256"],
    id_token_signing_alg_values_supported: ["PS256"],
    authorization_signing_alg_values_supported: ["PS256"],
    code_challenge_methods_supported: ["S256"],
  };
  for (const [name, value] of Object.entries(expected)) {
    const sorted = (list: unknown): unknown => (Array.isArray(list) ? [...list].sort() : list);
    assert.deepEqual(sorted(document[name]), sorted(value), name);
  }
  const first = document.request_object_signing_alg_values_supported as string[];
  assert.equal(first[0], "PS256");
  for (const mode of ["fragment", "query", "jwt", "fragment.jwt"]) {
    assert.ok((document.response_modes_supported as string[]).includes(mode));
  }
  for (const claim of ["acr", "openbanking_intent_id", "sub"]) {
    assert.ok((document.claims_supported as string[]).includes(claim));
  }
  assert.equal(document.require_pushed_authorization_requests, undefined);
  assert.equal(document.registration_endpoint, undefined);
});

test("both listeners serve the same discovery document, whatever the Host", async () => {
  const path = "/.well-known/openid-configuration";
  const headers = { accept: "application/json" };
  const overMtls = await tpp.send(`${bed.mtlsUrl}${path}`, "GET", undefined, headers);
  assert.deepEqual(overMtls.body, document);
  const other = { ...headers, host: "evil.example" };
  const asked = await tpp.send(`${bed.publicUrl}${path}`, "GET", undefined, other);
  assert.deepEqual(asked.body, document);
});

test("R-024: discovery gives the mutual TLS URL of every endpoint that clients call, and so does mtls_endpoint_aliases", () => {
  const { mtls_endpoint_aliases: aliases } = document;
  const plain = Object.entries(document).filter(([name]) => name.endsWith("_endpoint"));
  const onMtls = plain.filter(([, url]) => String(url).startsWith(`${bed.mtlsUrl}/`));
  assert.deepEqual(Object.fromEntries(onMtls), aliases);
  assert.deepEqual(
    plain.filter(([, url]) => !String(url).startsWith(`${bed.mtlsUrl}/`)).map(([name]) => name),
    ["authorization_endpoint"],
  );
});

test("every endpoint responds, with an interaction id", async () => {
  const endpoints = [
    ...Object.entries(document).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name)),
    ...Object.entries(document.mtls_endpoint_aliases),
  ] as [string, string][];
  assert.ok(endpoints.length >= 10);
  for (const [name, url] of endpoints) {
    const posts = /^(token|pushed|revocation|introspection)/.test(name);
    const answer = await tpp.send(
      url,
      posts ? "POST" : "GET",
      posts ? Buffer.from("") : undefined,
      posts ? { "content-type": "application/x-www-form-urlencoded" } : { accept: "*/*" },
    );
    const expected = name === "jwks_uri" ? 200 : name.startsWith("userinfo") ? 401 : 400;
    const statuses = name.startsWith("userinfo") ? [400, 401] : [expected];
    assert.ok(statuses.includes(answer.status), `${name} ${url} ${answer.status}`);
    assert.match(String(answer.headers["x-fapi-interaction-id"]), /^[0-9a-f-]{36}$/);
  }
});

test("an interaction id that is a UUID is echoed", async () => {
  const id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
  const headers = { "x-fapi-interaction-id": id };
  const answer = await fetch(`${bed.publicUrl}/jwks`, { headers });
  assert.equal(answer.headers.get("x-fapi-interaction-id"), id);
});

test("published keys have kid, alg and use, and no private members", async () => {
  const { keys } = (await (await fetch(`${bed.publicUrl}/jwks`)).json()) as {
    keys: Record<string, string>[];
  };
  assert.equal(keys.length, 1);
  for (const key of keys) {
    assert.equal(key.kid, bed.directory.signing.kid);
    assert.equal(key.alg, "PS256");
    assert.equal(key.use, "sig");
    assert.deepEqual(
      ["d", "p", "q", "dp", "dq", "qi"].filter((name) => name in key),
      [],
    );
  }
});

test("a JWKS has its own media type, and each key has its certificate chain to the root", async () => {
  const root = new X509Certificate(bed.directory.caPem);
  const { organisationId, softwareId } = tpp.tpp;
  const ofTpp = `/directory/${organisationId}/${softwareId}.jwks`;
  for (const path of ["/jwks", "/directory/directory.jwks", ofTpp]) {
    const answer = await fetch(`${bed.publicUrl}${path}`);
    assert.equal(answer.headers.get("content-type"), "application/jwk-set+json", path);
    const { keys } = (await answer.json()) as {
      keys: (JsonWebKeyInput["key"] & { x5c: string[] })[];
    };
    assert.equal(keys.length, 1, path);
    for (const { x5c, ...jwk } of keys) {
      const chain = x5c.map((one) => new X509Certificate(Buffer.from(one, "base64")));
      assert.ok(chain[0]?.publicKey.equals(createPublicKey({ key: jwk, format: "jwk" })), path);
      assert.ok(chain[0]?.verify(root.publicKey), path);
      assert.deepEqual(chain[1]?.raw, root.raw, path);
    }
  }
});

test("every listed scope and grant can be obtained", async () => {
  for (const scope of document.scopes_supported as string[]) {
    if (scope === "openid") continue;
    const answer = await tpp.token({ grant_type: "client_credentials", scope });
    assert.equal(answer.scope, scope);
  }
  for (const grant_type of document.grant_types_supported as string[]) {
    const { body } = await tpp.tokenAnswer({ grant_type });
    assert.notEqual((body as { error?: string }).error, "unsupported_grant_type", grant_type);
  }
});

test("discovery lists ES256 if clients can get it", async () => {
  const open = await openAuthBed({ algorithms: ["PS256", "ES256"] });
  try {
    const url = `${open.publicUrl}/.well-known/openid-configuration`;
    const listed = (await (await fetch(url)).json()) as Document;
    for (const what of ["token_endpoint_auth", "request_object"]) {
      assert.deepEqual(listed[`${what}_signing_alg_values_supported`], ["PS256", "ES256"]);
    }
  } finally {
    await open.close();
  }
});
