import assert from "node:assert/strict";
import { constants, createPublicKey, verify } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { createLocalJWKSet, exportJWK, generateKeyPair } from "jose";
import type { BankKeys } from "#packages/client/src/bank-keys.ts";
import { type Deviations, standard } from "#packages/client/src/deviations.ts";
import type { Bank } from "#packages/client/src/index.ts";
import { signDetached, verifyDetached } from "#packages/client/src/signature.ts";
import { loadConfig } from "#src/config/config.ts";
import { type ClientBed, openClientBed, type Play, playing, tenPounds } from "./client-bed.ts";

let bed: ClientBed;
before(async () => {
  bed = await openClientBed();
});
after(() => bed.close());

const header = "x-jws-signature";
const consents = /\/domestic-payment-consents$/;
const create = (client: Bank) => client.payments("domestic-payment").createConsent(tenPounds);

/** Changes the answer of the bank. */
const changing =
  (change: (body: string, headers: Headers) => string): Play =>
  async ({ url, options, send }) => {
    const answer = await send(url, options);
    const headers = new Headers(answer.headers);
    const body = change(await answer.text(), headers);
    return new Response(body, { status: answer.status, headers });
  };

const otherPayload: Play = changing((body) => body.replace("10.00", "99.00"));
const reserialised: Play = changing((body) => JSON.stringify(JSON.parse(body), null, 1));
const unsigned: Play = changing((body, headers) => {
  headers.delete(header);
  return body;
});
const garbled: Play = changing((body, headers) => {
  headers.set(header, "a.b.c");
  return body;
});

const forged: [title: string, play: Play, message: RegExp][] = [
  ["whose body was changed", otherPayload, /signature verification failed/],
  ["whose body was written anew", reserialised, /signature verification failed/],
  ["without a signature", unsigned, /The answer has no x-jws-signature/],
  ["with something else in its place", garbled, /not a detached JWS/],
];

describe("an answer", () => {
  for (const [title, play, message] of forged) {
    test(`${title} is refused`, async () => {
      const client = await bed.connect({ fetch: playing("POST", consents, play).fetch });
      await assert.rejects(create(client), { name: "VerificationError", message });
    });
  }

  test("without a signature is accepted from a bank that signs only sometimes", async () => {
    const { fetch } = playing("POST", consents, unsigned);
    const deviations = { answerSignatures: "sometimes" } as const;
    assert.ok((await create(await bed.connect({ fetch, deviations }))).id);
    const played = playing("POST", consents, otherPayload);
    const client = await bed.connect({ fetch: played.fetch, deviations });
    await assert.rejects(create(client), { name: "VerificationError" });
  });

  test("is not verified if the bank's signatures are useless", async () => {
    const { fetch } = playing("POST", consents, garbled);
    const deviations = { answerSignatures: "never" } as const;
    assert.ok((await create(await bed.connect({ fetch, deviations }))).id);
  });

  test("must be signed by the organisation that is expected", async () => {
    const { ORGANISATION_ID: bankOrganisationId } = loadConfig({});
    assert.ok((await create(await bed.connect({ bankOrganisationId }))).id);
    const other = await bed.connect({ bankOrganisationId: "another" });
    await assert.rejects(create(other), { name: "VerificationError", message: /iss is/ });
  });

  test("must not be signed in the future", async () => {
    // a clock that is an hour late; the bank's tolerance for requests is a day
    const now = () => new Date(Date.now() - 3_600_000);
    const client = await bed.connect({ now });
    await assert.rejects(create(client), { name: "VerificationError", message: /in the past/ });
  });
});

/** The header of the signature of a request. */
async function headerWith(deviations: Partial<Deviations>): Promise<Record<string, unknown>> {
  const played = playing("POST", consents, () =>
    Promise.resolve(new Response("{}", { status: 400 })),
  );
  const client = await bed.connect({ fetch: played.fetch, deviations });
  await assert.rejects(create(client), { name: "BankError" });
  const [encoded = ""] = String(played.seen[0]?.headers[header]).split(".");
  return JSON.parse(Buffer.from(encoded, "base64url").toString());
}

describe("the signature of a request", () => {
  test("has the members of the standard and no others", async () => {
    const { alg, kid, crit, ...rest } = await headerWith({});
    assert.deepEqual(Object.keys(rest).toSorted(), [
      "http://openbanking.org.uk/iat",
      "http://openbanking.org.uk/iss",
      "http://openbanking.org.uk/tan",
    ]);
    assert.deepEqual((crit as string[]).toSorted(), Object.keys(rest).toSorted());
    assert.deepEqual([alg, typeof kid], ["PS256", "string"]);
    assert.match(String(rest["http://openbanking.org.uk/iss"]), /^\w+\/\w+$/);
  });

  const wanted: [Partial<Deviations>, member: string, value: unknown][] = [
    [{ signatureIssuer: "organisation" }, "http://openbanking.org.uk/iss", /^\w+$/],
    [{ signatureIssuer: "CN=a,C=GB" }, "http://openbanking.org.uk/iss", /^CN=a,C=GB$/],
    [{ signatureKeyId: "another" }, "kid", /^another$/],
    [{ signatureType: "JOSE" }, "typ", /^JOSE$/],
    [{ signatureContentType: "application/json" }, "cty", /^application\/json$/],
    [{ trustAnchor: "openbankingtest.org.uk" }, "http://openbanking.org.uk/tan", /test/],
    [{ signatureB64: true }, "b64", /^false$/],
    [{ signatureB64: true }, "crit", /b64/],
  ];
  for (const [deviations, member, value] of wanted) {
    test(`has ${member} as ${JSON.stringify(deviations)} says`, async () => {
      assert.match(String((await headerWith(deviations))[member]), value as RegExp);
    });
  }

  for (const signatureB64 of [false, true]) {
    const what = signatureB64 ? "the plain bytes" : "the encoded bytes";
    test(`covers ${what} of the body if signatureB64 is ${signatureB64}`, async () => {
      const { client, ...connection } = await bed.sandbox.createTpp();
      const played = playing("POST", consents, () =>
        Promise.resolve(new Response("{}", { status: 400 })),
      );
      const deviations = { signatureB64 };
      const own = await bed.connect({ ...connection, client, fetch: played.fetch, deviations });
      await assert.rejects(create(own), { name: "BankError" });
      const [sent] = played.seen;
      const [encoded = "", , signature = ""] = String(sent?.headers[header]).split(".");
      const body = Buffer.from(sent?.body as Uint8Array);
      const signed = `${encoded}.${body.toString(signatureB64 ? "utf8" : "base64url")}`;
      const key = createPublicKey(String(client.signing.privateKey));
      const { RSA_PKCS1_PSS_PADDING: padding } = constants;
      const verification = { key, padding, saltLength: 32 };
      const bytes = Buffer.from(signature, "base64url");
      assert.ok(verify("sha256", Buffer.from(signed), verification, bytes));
    });
  }

  test("is accepted by the bank with typ and cty", async () => {
    const deviations = { signatureType: "JOSE", signatureContentType: "application/json" };
    assert.ok((await create(await bed.connect({ deviations }))).id);
  });
});

test("assertions, request objects and parameters deviate as the options say", async () => {
  const token = playing("POST", /\/token$/, () => null);
  const client = await bed.connect({
    fetch: token.fetch,
    deviations: {
      assertionAudience: "token endpoint",
      requestObjectAudience: `${bed.bank.publicUrl}`,
      repeatedParameters: ["nonce", "state"],
    },
  });
  const consent = await create(client);
  const claimsOf = (jwt: string | null): Record<string, unknown> =>
    JSON.parse(Buffer.from(String(jwt).split(".")[1] ?? "", "base64url").toString());
  const form = new URLSearchParams(String(token.seen[0]?.body));
  assert.match(String(claimsOf(form.get("client_assertion")).aud), /\/token$/);
  const login = await client.authorise(consent);
  const { searchParams } = new URL(login.url);
  assert.equal(searchParams.get("state"), login.state);
  assert.equal(searchParams.get("nonce"), login.nonce);
  assert.equal(claimsOf(searchParams.get("request")).aud, bed.bank.publicUrl);
  const { redirectUrl: returned } = await bed.sandbox.approve(login, { customer: "amara" });
  assert.equal((await client.finish(login, returned)).consentId, consent.id);
});

test("an answer of before v3.1.4, over its plain bytes, is verified", async () => {
  const { privateKey, publicKey } = await generateKeyPair("PS256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "bank", alg: "PS256", use: "sig" };
  const now = new Date();
  const rules = { ...standard, signatureIssuer: "organisation", signatureB64: true };
  const signatory = { key: privateKey, keyId: "bank", organisationId: "bank", softwareId: "" };
  const body = Buffer.from('{"Data":{}}');
  const value = await signDetached(body, signatory, rules, now);
  const keys = createLocalJWKSet({ keys: [jwk] }) as BankKeys;
  const expectation = { keys, organisationId: "bank", now };
  await verifyDetached(value, body, expectation);
  const other = Buffer.from('{"Data":{ }}');
  await assert.rejects(verifyDetached(value, other, expectation), { name: "VerificationError" });
});
