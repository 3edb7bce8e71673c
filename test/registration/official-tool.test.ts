// The ten scenarios of the official registration tool (OpenBankingUK/conformance-dcr 1.3.1), with
// its requests: one statement for all registrations, and `token_endpoint` as discovery names it.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { type Bed, openRegistrationBed, softwareId } from "./bed.ts";
import type { Changes } from "./request-claims.ts";
import { signAny } from "./sign-any.ts";

const goOrder = `CN=${softwareId},OU=0015800001TEST0001,O=OpenBanking,C=GB`;
const methods: Record<string, Changes> = {
  tls_client_auth: {
    token_endpoint_auth_method: "tls_client_auth",
    token_endpoint_auth_signing_alg: undefined,
    tls_client_auth_subject_dn: goOrder,
  },
  private_key_jwt: { token_endpoint_auth_method: "private_key_jwt" },
};

let bed: Bed;
let discovery: Record<string, unknown>;
let statement: string;
before(async () => {
  bed = await openRegistrationBed();
  statement = await bed.statement();
  const answer = await fetch(`${bed.bank.publicUrl}/.well-known/openid-configuration`);
  discovery = (await answer.json()) as Record<string, unknown>;
});
after(() => bed?.close());

/** The tool's requests with one method of authentication. */
function toolFor(method: string) {
  const endpoint = (): string => String(discovery.registration_endpoint);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const request = (changes: Changes = {}, header: Changes = {}) =>
    bed.request(
      { ...methods[method], software_statement: statement, scope: "accounts openid", ...changes },
      { header },
    );
  return {
    request,
    post: async (body: string) => bed.send({ url: endpoint(), body }),
    async create() {
      const answer = await bed.send({ url: endpoint(), body: await request() });
      assert.equal(answer.status, 201, answer.text);
      return { id: String(answer.body.client_id), body: answer.body };
    },
    /** `scope` is empty, the assertion has no kid, and its audience is the token endpoint. */
    async token(id: string): Promise<string> {
      const url = String(discovery.token_endpoint);
      const now = Math.floor(Date.now() / 1000);
      const form = new URLSearchParams({ grant_type: "client_credentials", scope: "" });
      if (method === "tls_client_auth") form.set("client_id", id);
      else {
        const claims = { iss: id, sub: id, aud: url, iat: now, exp: now + 1800, jti: randomUUID() };
        const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        form.set("client_assertion_type", type);
        form.set("client_assertion", await signAny(claims, {}, bed.keys.signing));
      }
      const answer = await bed.send({
        url,
        body: form.toString(),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
      assert.equal(answer.status, 200, answer.text);
      return String(answer.body.access_token);
    },
    get: (id: string, token: string) =>
      bed.send({ method: "GET", url: `${endpoint()}/${id}`, headers: bearer(token) }),
    put: async (id: string, token: string) =>
      bed.send({
        method: "PUT",
        url: `${endpoint()}/${id}`,
        headers: bearer(token),
        body: await request(),
      }),
    async remove(id: string, token: string): Promise<void> {
      const url = `${endpoint()}/${id}`;
      const answer = await bed.send({ method: "DELETE", url, headers: bearer(token) });
      assert.equal(answer.status, 204, answer.text);
    },
  };
}

test("R-010: DCR-001, registration_endpoint is in discovery and is an absolute https URL", () => {
  const url = new URL(String(discovery.registration_endpoint));
  assert.equal(url.protocol, "https:");
  assert.equal(url.href, bed.url);
});

for (const method of Object.keys(methods)) {
  const tool = toolFor(method);

  test(`R-104, R-146, R-148: DCR-002, a client registers, gets a token and is deleted (${method})`, async () => {
    const { id } = await tool.create();
    await tool.remove(id, await tool.token(id));
  });

  test(`R-020, R-143: DCR-003, GET with the token of a deleted client is 401 (${method})`, async () => {
    const { id } = await tool.create();
    const token = await tool.token(id);
    await tool.remove(id, token);
    assert.equal((await tool.get(id, token)).status, 401);
  });

  test(`R-139: DCR-004, five bad requests of a client are 400 (${method})`, async () => {
    const now = Math.floor(Date.now() / 1000);
    const bad: [Changes, Changes?][] = [
      [{ iat: now - 7200, exp: now - 3600 }],
      [{ iss: "foo.is/invalid" }],
      [{ iss: "" }],
      [{ iss: "1".repeat(30) }],
      [{ id_token_signed_response_alg: "RS256" }, { alg: "RS256" }],
    ];
    for (const [changes, header] of bad) {
      const answer = await tool.post(await tool.request(changes, header));
      assert.equal(answer.status, 400, answer.text);
    }
  });

  test(`R-133, R-137: DCR-005, GET of a client is 200 and fits the tool's schema (${method})`, async () => {
    const { id } = await tool.create();
    const token = await tool.token(id);
    const { status, body } = await tool.get(id, token);
    assert.equal(status, 200);
    checkSchema(body);
    await tool.remove(id, token);
  });

  test(`R-018: DCR-007, GET of a client with an empty bearer value is 401 (${method})`, async () => {
    const { id } = await tool.create();
    assert.equal((await tool.get(id, "")).status, 401);
    await tool.remove(id, await tool.token(id));
  });

  test(`R-027: DCR-008, PUT of the same claims by a client is 200 (${method})`, async () => {
    const { id } = await tool.create();
    const token = await tool.token(id);
    const answer = await tool.put(id, token);
    assert.equal(answer.status, 200, answer.text);
    checkSchema(answer.body);
    await tool.remove(id, token);
  });

  test(`R-020: DCR-009, PUT with the token of a deleted client is 401 (${method})`, async () => {
    const { id } = await tool.create();
    const token = await tool.token(id);
    await tool.remove(id, token);
    assert.equal((await tool.put(id, token)).status, 401);
  });

  test(`R-020, R-143: DCR-010, GET of a deleted client is 401 (${method})`, async () => {
    const { id } = await tool.create();
    const token = await tool.token(id);
    await tool.remove(id, token);
    assert.equal((await tool.get(id, token)).status, 401);
  });

  test(`R-055, R-140: DCR-011, a client with response_types id_token and token gets 400 with JSON (${method})`, async () => {
    const answer = await tool.post(await tool.request({ response_types: ["id_token", "token"] }));
    assert.equal(answer.status, 400);
    assert.equal(typeof answer.body, "object");
    assert.equal(answer.body.error, "invalid_client_metadata");
  });
}

/** The tool's validation of a registration. */
function checkSchema(body: Record<string, unknown>): void {
  const texts = (name: string): string[] => {
    assert.ok(Array.isArray(body[name]), name);
    return body[name] as string[];
  };
  const text = (name: string, pattern: RegExp): void => assert.match(String(body[name]), pattern);
  text("client_id", /^.{1,36}$/);
  for (const uri of texts("redirect_uris")) {
    assert.match(uri, /^https:\/\/(?!localhost)[^#]{1,248}$/);
  }
  text("token_endpoint_auth_method", /^(private_key_jwt|tls_client_auth)$/);
  for (const grant of texts("grant_types")) {
    assert.match(grant, /^(client_credentials|authorization_code|refresh_token)$/);
  }
  for (const type of texts("response_types")) assert.match(type, /^code( id_token)?$/);
  text("software_id", /^[0-9a-zA-Z]{1,22}$/);
  text("scope", /^[a-z ]{1,256}$/);
  text("software_statement", /^[\w-]+\.[\w-]+\.[\w-]+$/);
  text("application_type", /^(web|mobile)$/);
  text("id_token_signed_response_alg", /^.{1,5}$/);
  text("request_object_signing_alg", /^.{1,5}$/);
  if (body.token_endpoint_auth_method === "tls_client_auth") {
    text("tls_client_auth_subject_dn", /^.{1,128}$/);
  } else text("token_endpoint_auth_signing_alg", /^.{1,5}$/);
  assert.ok(Number.isSafeInteger(body.client_id_issued_at));
}
