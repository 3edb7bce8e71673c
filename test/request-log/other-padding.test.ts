// Signatures by the right key over the right bytes that are no PS256 signatures: the answer, its
// explanation and the judge of texts name the mistake.

import assert from "node:assert/strict";
import { constants, randomUUID, sign } from "node:crypto";
import { after, before, test } from "node:test";
import type { Explanation } from "#src/request-log/explain/explanation.ts";
import type { JudgedText } from "#src/request-log/explain/judged-text.ts";
import { pathOf, type TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { requestOf } from "#test/registration/request-claims.ts";

let bank: TestBank;
let tpp: TppClient;
before(async () => {
  bank = await openBank();
  tpp = await bank.createTpp();
});
after(() => bank?.close());

const pss = constants.RSA_PKCS1_PSS_PADDING;
const ways: [name: string, digest: string, form: object, says: RegExp][] = [
  ["Node's default salt", "sha256", { padding: pss }, /salt of another length/],
  ["a salt of 20 bytes", "sha256", { padding: pss, saltLength: 20 }, /salt of another length/],
  ["SHA-512", "sha512", { padding: pss, saltLength: 64 }, /SHA-512/],
  ["PKCS #1 v1.5", "sha256", { padding: constants.RSA_PKCS1_PADDING }, /PKCS #1 v1\.5/],
];

const explain = (id: unknown) => bank.control<Explanation>("GET", `/explanations/${String(id)}`);
const judge = (text: string, more: object = {}) =>
  bank.control<JudgedText>("POST", "/judgements", { text, ...more });
const next = /salt of 32 bytes: set the padding and the length of the salt/;
const body = JSON.stringify({ Data: {}, Risk: {} });

for (const [name, digest, form, says] of ways) {
  /** Replaces the signature of a JWS, whose signed bytes are `input`. */
  const resign = (jws: string, input: string): string => {
    const key = { key: tpp.tpp.signing.privateKeyPem, ...form };
    const signature = sign(digest, Buffer.from(input), key).toString("base64url");
    return `${jws.slice(0, jws.lastIndexOf("."))}.${signature}`;
  };
  const resignJwt = (jwt: string) => resign(jwt, jwt.slice(0, jwt.lastIndexOf(".")));

  test(`a message that is signed with ${name}: answer, explanation and judge name it`, async () => {
    const signature = await tpp.signature(Buffer.from(body));
    const encoded = Buffer.from(body).toString("base64url");
    const other = resign(signature, `${signature.split(".")[0]}.${encoded}`);
    const id = randomUUID();
    const answer = await tpp.call({
      path: `${pathOf(pispV40)}/domestic-payment-consents`,
      token: await tpp.clientToken("payments"),
      body,
      headers: { "x-fapi-interaction-id": id, "x-jws-signature": other },
    });
    assert.match(answer.raw.toString(), /"U015"/);
    assert.match(answer.raw.toString(), says);
    assert.doesNotMatch(answer.raw.toString(), /private key does not belong|was changed/);
    const explained = await explain(id);
    assert.match(explained.signature?.mistake ?? "", says);
    assert.match(explained.next, next);
    const judged = await judge(body, { signature: other });
    assert.match(judged.signature?.mistake ?? "", says, JSON.stringify(judged));
    assert.match(judged.next, next);
  });

  test(`a client assertion that is signed with ${name}: answer, explanation and judge name it`, async () => {
    const jwt = resignJwt(await tpp.assertion());
    const judged = await judge(jwt);
    assert.equal(judged.faults[0]?.code, "jwtPadding");
    assert.match(judged.faults[0]?.meaning ?? "", says);
    assert.match(judged.next, next);
    const answer = await tpp.tokenAnswer({
      grant_type: "client_credentials",
      scope: "accounts",
      client_assertion: jwt,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    });
    assert.match(answer.raw.toString(), says);
    const explained = await explain(answer.headers["x-fapi-interaction-id"]);
    assert.match(explained.faults[0]?.meaning ?? "", says);
    assert.match(explained.next, next);
  });

  test(`a request object that is signed with ${name}: answer and judge name it`, async () => {
    const consentId = await lodgeAccess(tpp);
    const url = new URL(await tpp.authorizationUrl({ scope: "accounts", consentId }));
    const jwt = resignJwt(url.searchParams.get("request") ?? "");
    const judged = await judge(jwt);
    assert.equal(judged.faults[0]?.code, "jwtPadding");
    assert.match(judged.faults[0]?.meaning ?? "", says);
    url.searchParams.set("request", jwt);
    const answer = await tpp.push({ request: jwt });
    assert.match(answer.raw.toString(), says);
    const explained = await explain(answer.headers["x-fapi-interaction-id"]);
    assert.match(explained.next, next);
  });

  test(`a registration request that is signed with ${name}: answer and explanation name it`, async () => {
    const { softwareStatement: statement = "" } = tpp.tpp as { softwareStatement?: string };
    const jwt = resignJwt(await requestOf(tpp.tpp, { audience: bank.publicUrl, statement }, {}));
    const headers = { "content-type": "application/jwt" };
    const answer = await tpp.send(`${bank.mtlsUrl}/register`, "POST", Buffer.from(jwt), headers);
    assert.match(answer.raw.toString(), says);
    const explained = await explain(answer.headers["x-fapi-interaction-id"]);
    assert.equal(explained.faults[0]?.code, "R-042");
    assert.match(explained.next, next);
  });
}
