import "#src/auth/provider/verify-here.ts";
import assert from "node:assert/strict";
import type { webcrypto } from "node:crypto";
import { test } from "node:test";

// The library that verifies client assertions and Request Objects uses WebCrypto. Its verification
// of PS256 is replaced. The replacement must accept and refuse the same signatures and keys.

const { subtle } = globalThis.crypto;
type Verify = webcrypto.SubtleCrypto["verify"];
const original = (Object.getPrototypeOf(subtle) as { verify: Verify }).verify;

/** Returns the result, or the name of the error, which must be WebCrypto's too. */
async function verify(...given: Parameters<Verify>): Promise<boolean | string> {
  const resultOf = (result: Promise<boolean>) => result.catch(({ name }: Error) => name);
  const result = await resultOf(subtle.verify(...given));
  assert.equal(result, await resultOf(original.apply(subtle, given)));
  return result;
}

const data = new TextEncoder().encode("header.payload");
const other = new TextEncoder().encode("header.Payload");
const rsa = (hash: string, name = "RSA-PSS") => ({
  name,
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash,
});
const pss = (saltLength: number) => ({ name: "RSA-PSS", saltLength });
const uses: webcrypto.KeyUsage[] = ["sign", "verify"];

test("PS256: a valid signature is accepted; other data, an altered signature, another key or salt length are refused", async () => {
  const keys = await subtle.generateKey(rsa("SHA-256"), true, uses);
  const signature = await subtle.sign(pss(32), keys.privateKey, data);
  const verified = subtle.verify(pss(32), keys.publicKey, signature, data);
  // the result of another thread cannot arrive before this thread returns to its event loop
  assert.equal(await Promise.race([verified, null]), true);
  assert.equal(await verify(pss(32), keys.publicKey, signature, data), true);
  assert.equal(await verify(pss(32), keys.publicKey, signature, other), false);
  assert.equal(await verify(pss(20), keys.publicKey, signature, data), false);
  for (const length of [0, 1, 255]) {
    assert.equal(await verify(pss(32), keys.publicKey, signature.slice(0, length), data), false);
  }
  const altered = new Uint8Array(signature);
  altered[7] = (altered[7] ?? 0) ^ 1;
  assert.equal(await verify(pss(32), keys.publicKey, altered, data), false);
  const another = await subtle.generateKey(rsa("SHA-256"), true, uses);
  assert.equal(await verify(pss(32), another.publicKey, signature, data), false);
});

test("PS256: only the bytes of a view are verified, not the rest of its buffer", async () => {
  const keys = await subtle.generateKey(rsa("SHA-256"), true, uses);
  const within = (bytes: ArrayBuffer): DataView<ArrayBuffer> => {
    const larger = new Uint8Array(bytes.byteLength + 20).fill(9);
    larger.set(new Uint8Array(bytes), 10);
    return new DataView(larger.buffer, 10, bytes.byteLength);
  };
  const signature = await subtle.sign(pss(32), keys.privateKey, data);
  const signed = [within(signature), within(data.buffer)] as const;
  assert.equal(await verify(pss(32), keys.publicKey, ...signed), true);
});

test("PS256: a private key, a key without the usage `verify` and a key of another algorithm are refused", async () => {
  const keys = await subtle.generateKey(rsa("SHA-256"), true, uses);
  const signature = await subtle.sign(pss(32), keys.privateKey, data);
  const jwk = await subtle.exportKey("jwk", keys.publicKey);
  const useless = await subtle.importKey("jwk", { ...jwk, key_ops: [] }, rsa("SHA-256"), true, []);
  const pkcs1 = await subtle.generateKey(rsa("SHA-256", "RSASSA-PKCS1-v1_5"), true, uses);
  for (const key of [keys.privateKey, useless, pkcs1.publicKey]) {
    assert.equal(await verify(pss(32), key, signature, data), "InvalidAccessError");
  }
});

test("signatures with other algorithms are still verified", async () => {
  const ps384 = await subtle.generateKey(rsa("SHA-384"), true, uses);
  const first = await subtle.sign(pss(48), ps384.privateKey, data);
  assert.equal(await verify(pss(48), ps384.publicKey, first, data), true);
  assert.equal(await verify(pss(48), ps384.publicKey, first, other), false);
  const ecdsa = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const es256 = await subtle.generateKey(ecdsa, true, uses);
  const second = await subtle.sign(ecdsa, es256.privateKey, data);
  assert.equal(await verify(ecdsa, es256.publicKey, second, data), true);
  assert.equal(await verify(ecdsa, es256.publicKey, second, other), false);
  const hmac = await subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, true, uses);
  const third = await subtle.sign("HMAC", hmac, data);
  assert.equal(await verify("HMAC", hmac, third, data), true);
  assert.equal(await verify("HMAC", hmac, third, other), false);
});
