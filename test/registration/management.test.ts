import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listChanges } from "#src/history/change.ts";
import { readRegistration, setClientStatus } from "#test/clients/stored-settings.ts";
import { readConsents } from "#test/consents/stored-rows.ts";
import { expectStatus } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { type Bed, openRegistrationBed, redirectUri } from "./bed.ts";
import type { Changes } from "./request-claims.ts";

let bed: Bed;
before(async () => {
  bed = await openRegistrationBed();
});
after(() => bed?.close());

/** Registers a client, and returns it with the body of the answer. */
async function register(changes: Changes = {}) {
  const answer = await bed.send({ body: await bed.request(changes) });
  assert.equal(answer.status, 201, answer.text);
  const client = bed.client(answer.body, bed);
  return { client, body: answer.body, url: `${bed.url}/${answer.body.client_id}` };
}

const other = "https://tpp.example/other";
const bearer = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });

test("R-011, R-013: GET shows a client its registration, with a token of any scope", async () => {
  const { client, body, url } = await register();
  const token = await client.clientToken("accounts");
  const answer = await bed.send({ method: "GET", url, headers: bearer(token) });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body, body);
});

for (const authorization of [undefined, "Bearer ", "Bearer", "Bearer unknown", "Basic eDp5"]) {
  test(`R-018: GET without a usable Authorization header is 401 with WWW-Authenticate (${authorization ?? "absent"})`, async () => {
    const { url } = await register();
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer = await bed.send({ method: "GET", url, headers });
    assert.equal(answer.status, 401);
    assert.match(String(answer.headers["www-authenticate"]), /^Bearer error="invalid_token"/);
    assert.equal(answer.body.error, "invalid_token");
  });
}

test("R-019: a token for another client, or for one that does not exist, is 401, and the token is revoked", async () => {
  const foreign = await register();
  const { client, url } = await register();
  for (const wrong of [foreign.url, `${bed.url}/nobody`, `${bed.url}/${"x".repeat(300)}`]) {
    const token = await client.clientToken("accounts");
    const answer = await bed.send({ method: "GET", url: wrong, headers: bearer(token) });
    assert.equal(answer.status, 401);
    const again = await bed.send({ method: "GET", url, headers: bearer(token) });
    assert.equal(again.status, 401);
  }
});

test("R-013, R-021: a customer's token, or a token with another certificate, is 403", async () => {
  const { client, url } = await register();
  const tokens = await bed.bank.approve(client, {
    scope: "accounts",
    consentId: await lodgeAccess(client),
    customer: "amara",
  });
  const headers = bearer(tokens.access_token);
  const customer = await bed.send({ method: "GET", url, headers });
  assert.equal(customer.status, 403);
  assert.match(String(customer.headers["www-authenticate"]), /insufficient_scope/);
  const transport = await bed.certificate();
  const own = bearer(await client.clientToken("accounts"));
  assert.equal((await bed.send({ method: "GET", url, headers: own, transport })).status, 403);
  assert.equal((await bed.send({ method: "GET", url, headers: own })).status, 200);
});

test("R-020, R-030: DELETE ends the client, its tokens and its access, and keeps the records", async () => {
  const { client, body, url } = await register();
  const tokens = await bed.bank.approve(client, {
    scope: "accounts",
    consentId: await lodgeAccess(client),
    customer: "amara",
  });
  const path = "/v3.1/aisp/accounts";
  expectStatus(await client.call({ path, token: tokens.access_token }), 200);
  const headers = bearer(await client.clientToken("accounts"));
  const gone = await bed.send({ method: "DELETE", url, headers });
  assert.equal(gone.status, 204, gone.text);
  assert.equal(gone.text, "");
  for (const method of ["GET", "DELETE"]) {
    assert.equal((await bed.send({ method, url, headers })).status, 401);
  }
  expectStatus(await client.call({ path, token: tokens.access_token }), 401);
  expectStatus(
    await client.tokenAnswer({
      grant_type: "refresh_token",
      refresh_token: tokens.refresh_token ?? "",
    }),
    401,
  );
  const { client_id: clientId } = body as { client_id: string };
  const left = await readRegistration(bed.bank.database, clientId);
  assert.equal(left?.status, "removed");
  const consents = await readConsents(bed.bank.database);
  const its = consents.filter((consent) => consent.clientId === clientId);
  assert.ok(its.length > 0 && its.every(({ deletedAt }) => deletedAt !== null));
});

test("R-027, R-028, R-154: PUT replaces the registration, and consents and tokens work with a new certificate", async () => {
  const { client, body, url } = await register();
  const tokens = await bed.bank.approve(client, {
    scope: "accounts",
    consentId: await lodgeAccess(client),
    customer: "amara",
  });
  const headers = bearer(await client.clientToken("accounts"));
  const replaced = await bed.send({
    method: "PUT",
    url,
    headers,
    body: await bed.request({
      client_id: body.client_id,
      redirect_uris: [other],
      scope: "openid accounts payments",
      token_endpoint_auth_method: "tls_client_auth",
      token_endpoint_auth_signing_alg: undefined,
      tls_client_auth_subject_dn: `C=GB, O=OpenBanking, OU=${"0015800001TEST0001"}, cn=${"4t7dBRDnSgGLmNcQbP7sXA"}`,
    }),
  });
  assert.equal(replaced.status, 200, replaced.text);
  assert.equal(replaced.body.client_id, body.client_id);
  assert.equal(replaced.body.client_id_issued_at, body.client_id_issued_at);
  assert.deepEqual(replaced.body.redirect_uris, [other]);
  assert.ok(!("token_endpoint_auth_signing_alg" in replaced.body));
  const renewed = bed.client(replaced.body, { ...bed, transport: await bed.certificate() });
  const fresh = await renewed.refresh(tokens.refresh_token ?? "");
  const path = "/v3.1/aisp/accounts";
  expectStatus(await renewed.call({ path, token: fresh.access_token }), 200);
  const shown = await bed.send({ method: "GET", url, headers });
  assert.deepEqual(shown.body, replaced.body);
});

test("R-027, R-163: a PUT that changes only registered members is in the history of the client, with the members before and after", async () => {
  const { client, body, url } = await register();
  const headers = {
    ...bearer(await client.clientToken("accounts")),
    "x-fapi-interaction-id": "93bac548-d2de-4546-b106-880a5018460f",
  };
  const request = await bed.request({ scope: "openid", redirect_uris: [other] });
  const narrow = await bed.request({
    scope: "openid accounts payments",
    redirect_uris: [other],
    software_statement: body.software_statement,
  });
  assert.equal((await bed.send({ method: "PUT", url, headers, body: request })).status, 400);
  const replaced = await bed.send({ method: "PUT", url, headers, body: narrow });
  assert.equal(replaced.status, 200, replaced.text);
  const changes = await listChanges(bed.bank.database, String(body.client_id));
  assert.equal(changes.length, 2);
  const [, change] = changes;
  assert.partialDeepStrictEqual(change, {
    cause: "tpp",
    interactionId: headers["x-fapi-interaction-id"],
    before: { metadata: { scope: "openid accounts", redirect_uris: [redirectUri] } },
    after: { metadata: { scope: "openid accounts payments", redirect_uris: [other] } },
  });
  assert.deepEqual({ ...change?.before, metadata: null }, { ...change?.after, metadata: null });
});

test("R-048, R-090: PUT refuses another client_id, other software and a replayed request", async () => {
  const { client, body, url } = await register();
  const headers = bearer(await client.clientToken("accounts"));
  const put = (request: string) => bed.send({ method: "PUT", url, headers, body: request });
  const foreignId = await put(await bed.request({ client_id: "another" }));
  assert.equal(foreignId.status, 400);
  assert.match(
    String(foreignId.body.error_description),
    /^client_id is another; it must be absent or be/,
  );
  const request = await bed.request({ client_id: body.client_id });
  assert.equal((await put(request)).status, 200);
  bed.served.set("/other.jwks", { body: { keys: [bed.jwk] } });
  const statement = await bed.statement({
    software_id: "otherSoftware",
    org_id: "0015800001TEST0001",
    software_jwks_endpoint: `https://${bed.host}/other.jwks`,
  });
  const foreign = await bed.send({
    method: "PUT",
    url,
    headers,
    body: await bed.request({ iss: "otherSoftware", software_statement: statement }),
  });
  assert.equal(foreign.status, 400);
  const replay = await put(request);
  assert.equal(replay.status, 400);
  assert.match(String(replay.body.error_description), /^jti is/);
});

test("R-029: after PUT, a request with the dropped redirect URI fails", async () => {
  const { client, body, url } = await register();
  const headers = bearer(await client.clientToken("accounts"));
  const request = await bed.request({
    client_id: body.client_id,
    redirect_uris: [other],
  });
  assert.equal((await bed.send({ method: "PUT", url, headers, body: request })).status, 200);
  const consentId = await lodgeAccess(client);
  const authorizationUrl = await client.authorizationUrl({
    scope: "accounts",
    consentId,
    redirectUri,
  });
  const answer = await fetch(authorizationUrl, { redirect: "manual" });
  assert.equal(answer.status, 400);
});

test("R-022: a method that is not offered is 405, and Allow names the offered ones", async () => {
  const patch = await bed.send({ method: "PATCH", url: `${bed.url}/x`, body: "x" });
  assert.equal(patch.status, 405);
  assert.equal(patch.headers.allow, "GET, PUT, DELETE");
  assert.equal((await bed.send({ method: "DELETE" })).headers.allow, "POST");
});

test("R-153, R-155: a client that another process suspends is refused everywhere, and is served again after it is restored", async () => {
  const { client, body, url } = await register();
  const headers = bearer(await client.clientToken("accounts"));
  // as another process does
  const set = (status: string) =>
    setClientStatus(bed.bank.database, String(body.client_id), status);
  await set("suspended");
  assert.equal((await bed.send({ method: "GET", url, headers })).status, 401);
  expectStatus(
    await client.tokenAnswer({ grant_type: "client_credentials", scope: "accounts" }),
    401,
  );
  await set("active");
  assert.equal((await bed.send({ method: "GET", url, headers })).status, 200);
});
