import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { after, before, suite, test } from "node:test";
import { generateEcKey } from "#src/sandbox/directory/keys.ts";
import { sql } from "#src/storage/sql.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { type Bed, openRegistrationBed, organisationId, redirectUri, softwareId } from "./bed.ts";
import type { Changes } from "./request-claims.ts";

const tls = (dn: string): Changes => ({
  token_endpoint_auth_method: "tls_client_auth",
  token_endpoint_auth_signing_alg: undefined,
  tls_client_auth_subject_dn: dn,
});

suite("registration with the default settings", () => {
  let bed: Bed;
  before(async () => {
    bed = await openRegistrationBed();
  });
  after(() => bed?.close());

  const register = async (changes: Changes) => bed.send({ body: await bed.request(changes) });

  for (const word of ["web", "mobile", "native"]) {
    test(`R-001, R-002, R-151: the application_type ${word} registers a client, and the response repeats it`, async () => {
      const answer = await register({ application_type: word });
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.body.application_type, word);
      const client = bed.client(answer.body, bed);
      assert.ok(await client.clientToken("accounts"));
      client.close();
    });
  }

  test("R-004: a client without the grant refresh_token receives refresh tokens", async () => {
    const answer = await register({});
    const client = bed.client(answer.body, bed);
    const consentId = await lodgeAccess(client);
    const approval = { scope: "accounts", consentId, customer: "amara" } as const;
    const tokens = await bed.bank.approve(client, approval);
    assert.ok((await client.refresh(tokens.refresh_token ?? "")).access_token);
    client.close();
  });

  test("R-003: a name of more than 128 characters is refused", async () => {
    const dn = `CN=${softwareId},OU=${organisationId},O=${"O".repeat(100)},C=GB`;
    const answer = await register(tls(dn));
    assert.equal(answer.status, 400);
    assert.match(String(answer.body.error_description), /at most 128 characters/);
  });

  test("R-005, R-031: the grant jwt-bearer is refused, because the bank does not offer it", async () => {
    const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    const answer = await register({
      grant_types: ["authorization_code", "client_credentials", grant],
    });
    assert.equal(answer.status, 400);
    assert.match(String(answer.body.error_description), /The bank does not offer urn:ietf/);
  });

  test("R-016: a JSON string is refused unless it is configured", async () => {
    const body = JSON.stringify(await bed.request());
    const headers = { "content-type": "application/json" };
    assert.equal((await bed.send({ body, headers })).status, 415);
  });

  test("R-017, R-023: responses repeat the interaction id and must not be cached", async () => {
    const id = "c770aef3-6784-41f7-8e0e-ff5f97bddb3a";
    for (const body of [await bed.request(), "no JWS"]) {
      const answer = await bed.send({ body, headers: { "x-fapi-interaction-id": id } });
      assert.equal(answer.headers["x-fapi-interaction-id"], id);
      assert.equal(answer.headers["cache-control"], "no-store");
    }
  });

  test("R-049, R-056: absent redirect_uris and response_types get the defaults", async () => {
    const answer = await register({ redirect_uris: undefined, response_types: undefined });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(answer.body.redirect_uris, [redirectUri, "https://tpp.example/other"]);
    assert.deepEqual(answer.body.response_types, ["code id_token"]);
  });

  test("R-050: every redirect URI is checked, not only the first", async () => {
    const answer = await register({ redirect_uris: [redirectUri, "https://evil.example/"] });
    assert.equal(answer.status, 400);
    assert.equal(answer.body.error, "invalid_redirect_uri");
  });

  test("R-068, R-070: unknown claims and keys in the request are ignored", async () => {
    const answer = await register({
      jwks: { keys: [] },
      jwks_uri: "https://evil.example/keys.jwks",
      client_name: "Another name",
      policy_uri: "https://evil.example/",
    });
    assert.equal(answer.status, 201, answer.text);
    for (const name of ["jwks", "jwks_uri", "client_name", "policy_uri"]) {
      assert.ok(!(name in answer.body), name);
    }
    assert.ok(!bed.asked.some((url) => url.includes("evil")));
  });

  test("R-113: screens show the name in the software statement", async () => {
    const statement = await bed.statement({ software_client_name: "Newer name" });
    const answer = await register({ software_statement: statement, software_client_name: "Wrong" });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body.software_client_name, "Newer name");
  });

  test("R-102: a statement without a signature is refused", async () => {
    const [, payload] = (await bed.statement()).split(".");
    const header = Buffer.from('{"alg":"none"}').toString("base64url");
    const answer = await register({ software_statement: `${header}.${payload}.AA` });
    assert.equal(answer.body.error, "invalid_software_statement");
  });

  test("R-110: one statement may have several registrations", async () => {
    const statement = await bed.statement();
    const [one, two] = [
      await register({ software_statement: statement }),
      await register({ software_statement: statement }),
    ];
    assert.deepEqual([one.status, two.status], [201, 201]);
    assert.notEqual(one.body.client_id, two.body.client_id);
  });

  test("R-087: software of another organisation cannot be taken over", async () => {
    const statement = await bed.statement({ org_id: "0015800001THIEF001" });
    const transport = await bed.certificate([
      { attribute: "OU", value: "0015800001THIEF001" },
      { attribute: "CN", value: softwareId },
    ]);
    const body = await bed.request({ software_statement: statement });
    const answer = await bed.send({ body, transport });
    assert.equal(answer.status, 400);
    assert.equal(answer.body.error, "unapproved_software_statement");
  });
});

suite("registration with other settings than the defaults", () => {
  let bed: Bed;
  before(async () => {
    bed = await openRegistrationBed({
      REGISTRATION_VERSION: "3.4",
      REGISTRATION_ES256: true,
      REGISTRATION_ACCEPT_JSON: true,
      REGISTRATION_AUDIENCES: "any",
    });
  });
  after(() => bed?.close());

  const register = async (changes: Changes) => bed.send({ body: await bed.request(changes) });

  test("R-016: a JWS as a JSON string is accepted if it is configured", async () => {
    const body = JSON.stringify(await bed.request());
    const headers = { "content-type": "application/json; charset=utf-8" };
    const answer = await bed.send({ body, headers });
    assert.equal(answer.status, 201, answer.text);
    assert.equal((await bed.send({ body: "{}", headers })).status, 400);
  });

  test("R-046: without a list of audiences, any aud is accepted", async () => {
    assert.equal((await register({ aud: "somebody" })).status, 201);
  });

  test("R-040: ES256 is accepted if it is configured", async () => {
    const key = await generateEcKey();
    const jwk = createPublicKey(key.publicKeyPem).export({ format: "jwk" });
    bed.served.set("/ec.jwks", { body: { keys: [{ ...jwk, kid: "ec", use: "sig" }] } });
    const statement = await bed.statement({
      software_jwks_endpoint: `https://${bed.host}/ec.jwks`,
    });
    const changes = {
      software_statement: statement,
      request_object_signing_alg: "ES256",
      token_endpoint_auth_signing_alg: "ES256",
    };
    const body = await bed.request(changes, { key, header: { alg: "ES256", kid: "ec" } });
    const answer = await bed.send({ body });
    assert.equal(answer.status, 201, answer.text);
  });
});

suite("registration with a limit of requests", () => {
  let bed: Bed;
  before(async () => {
    bed = await openRegistrationBed({
      REGISTRATION_PER_MINUTE: 3,
    });
  });
  after(() => bed?.close());

  test("R-026: requests beyond the limit get 429 with Retry-After", async () => {
    const statuses: number[] = [];
    for (let sent = 0; sent < 12; sent++) {
      const limited = await bed.send({ body: "x" });
      statuses.push(limited.status);
      if (limited.status === 429) assert.match(String(limited.headers["retry-after"]), /^\d+$/);
    }
    assert.equal(statuses.at(-1), 429);
  });

  for (const method of ["GET", "PUT", "DELETE"]) {
    test(`R-026: ${method} without a certificate is limited, counted and not recorded`, async () => {
      const { database, managementUrl } = bed.bank;
      const count = async () => {
        const text = await (await fetch(`${managementUrl}/metrics`)).text();
        return Number(/^aldgate_registration_unidentified_total (\d+)$/m.exec(text)?.[1]);
      };
      const counted = await count();
      const sent = { method, url: `${bed.url}/anyone`, transport: null };
      const statuses: number[] = [];
      while (statuses.at(-1) !== 429) statuses.push((await bed.send(sent)).status);
      assert.ok(statuses.length > 7, "three times the limit may arrive in a burst");
      assert.deepEqual(new Set(statuses), new Set([401, 429]));
      assert.equal(await count(), counted + statuses.length - 1);
      assert.deepEqual(
        await database.query(sql`
          select status from registration_attempt where client_id = ${"anyone"}`),
        [],
      );
    });
  }
});
