import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ps256 } from "#src/http/signature/signer.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type Running, startCommand } from "#test/cli/running-bank.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { lodge, order } from "#test/journeys/payments.ts";
import { fetchJwks, kidsOf, verifyAnswer, verifyJwt } from "./verify.ts";

// The reference service is another process. Its key and the key of the file signer are the same.
const folder = mkdtempSync(join(tmpdir(), "aldgate-signers-"));
const encoding = {
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
} as const;
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048, ...encoding });
const keyFile = join(folder, "bank.pem");
writeFileSync(keyFile, privateKey);
const tokenFile = join(folder, "token");
writeFileSync(tokenFile, "a token of the bank\n");

let service: Running;
let port = "";
async function startSigner(at: string): Promise<void> {
  const line = ["signing-service", "--keys", folder, "--port", at, "--token-file", tokenFile];
  service = startCommand(line, {});
  await service.untilSaid(/is open at/);
  port = /127\.0\.0\.1:(\d+)/.exec(service.said())?.[1] ?? "";
}
async function killSigner(): Promise<void> {
  service.child.kill("SIGKILL");
  await service.ended;
}
before(() => startSigner("0"));
after(async () => {
  await killSigner();
  rmSync(folder, { recursive: true, force: true });
});

const signers = [
  { name: "a file", settings: () => ({ SIGNING_KEY: keyFile }) },
  {
    name: "a signing service in another process",
    settings: () => ({
      SIGNING_KEY: "service:bank",
      SIGNING_SERVICE_URL: `http://127.0.0.1:${port}`,
      SIGNING_SERVICE_TOKEN_FILE: tokenFile,
    }),
  },
];

for (const { name, settings } of signers) {
  describe(`with the key in ${name}`, () => {
    let bank: TestBank;
    let client: TppClient;
    before(async () => {
      bank = await openBank(settings());
      client = await bank.createTpp();
    });
    after(() => bank?.close());

    test("K-007: the responses to a consent and its order are signed, and so is the id_token", async () => {
      const answers: Answer[] = [];
      const check = client.onAnswer;
      client.onAnswer = (method, url, answer) => {
        check?.(method, url, answer);
        if (url.includes("/pisp/")) answers.push(answer);
      };
      const lodged = await lodge(client);
      const grant = { scope: "payments", consentId: lodged.consentId, customer: "amara" } as const;
      const tokens = await bank.approve(client, grant);
      await order(client, lodged, tokens.access_token);
      client.onAnswer = check;
      const jwks = await fetchJwks(client);
      assert.equal(answers.length, 2);
      for (const answer of answers) await verifyAnswer(jwks, answer);
      await verifyJwt(jwks, tokens.id_token);
    });

    test("K-001: the JWKS has the key with its certificate", async () => {
      const { keys } = await fetchJwks(client);
      const { kid } = bank.signing.store.ring.current();
      const [jwk] = keys;
      assert.deepEqual(kidsOf({ keys }), [kid]);
      assert.ok(
        createPublicKey({ key: jwk as never, format: "jwk" }).equals(createPublicKey(publicKey)),
      );
      assert.equal(jwk?.x5c?.length, 2);
    });

    test("bytes in pieces have the same kind of signature as bytes at once", async () => {
      const key = bank.signing.store.ring.current();
      const bytes = Buffer.from("a file of many pieces");
      const pieces = key.signPieces();
      for (const byte of bytes) pieces.update(Buffer.from([byte]));
      for (const signature of [await pieces.finish(), await key.sign(bytes)]) {
        assert.ok(verify("sha256", bytes, { key: publicKey, ...ps256 }, signature));
      }
    });

    test("several signatures at a time are all made", async () => {
      const key = bank.signing.store.ring.current();
      const inputs = Array.from({ length: 60 }, (_, index) => Buffer.from(`message ${index}`));
      const made = await Promise.all(inputs.map((input) => key.sign(input)));
      for (const [index, signature] of made.entries()) {
        const input = inputs[index] ?? Buffer.alloc(0);
        assert.ok(verify("sha256", input, { key: publicKey, ...ps256 }, signature));
      }
    });
  });
}

test("K-007: after the signing service is killed and restarted, the bank signs again", async () => {
  const bank = await openBank(signers[1]?.settings());
  try {
    const client = await bank.createTpp();
    const { consentId } = await lodge(client);
    const token = await client.clientToken("payments");
    const read = () =>
      client.call({ path: `/v4.0/pisp/domestic-payment-consents/${consentId}`, token });
    assert.equal((await read()).status, 200);
    await killSigner();
    assert.equal((await read()).status, 503);
    await startSigner(port);
    const answer = await read();
    assert.equal(answer.status, 200);
    await verifyAnswer(await fetchJwks(client), answer);
  } finally {
    await bank.close();
  }
});

test("the reference service refuses callers without its token, unknown keys and bodies that are not digests", async () => {
  const call = async (
    path: string,
    body?: string,
    authorization = "Bearer a token of the bank",
  ) => {
    const headers = { authorization };
    const url = `http://127.0.0.1:${port}${path}`;
    const response = await fetch(
      url,
      body === undefined ? { headers } : { method: "POST", body, headers },
    );
    return response.status;
  };
  const digest = Buffer.alloc(32).toString("base64url");
  assert.equal(await call("/keys/bank"), 200);
  assert.equal(await call("/keys/bank", undefined, "Bearer other"), 401);
  assert.equal(await call("/keys/none"), 404);
  assert.equal(await call("/keys/..%2fbank"), 404);
  assert.equal(await call("/keys/bank/sign"), 405);
  assert.equal(await call("/keys/bank/sign", JSON.stringify({ alg: "PS256", digest })), 200);
  assert.equal(await call("/keys/bank/sign", JSON.stringify({ alg: "RS256", digest })), 400);
  assert.equal(await call("/keys/bank/sign", JSON.stringify({ alg: "PS256", digest: "AA" })), 400);
  assert.equal(await call("/keys/bank/sign", "not JSON"), 400);
});
