import "#src/auth/provider/verify-here.ts";
import assert from "node:assert/strict";
import { test } from "node:test";

// The library that verifies client assertions and Request Objects uses WebCrypto, whose verification
// of PS256 is replaced. It must accept and refuse exactly what WebCrypto does.

const { subtle } = globalThis.crypto;
const data = new TextEncoder().encode("header.payload");
const other = new TextEncoder().encode("header.Payload");
const rsa = (hash: string) => ({
  name: "RSA-PSS",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash,
});
const pss = (saltLength: number) => ({ name: "RSA-PSS", saltLength });

test("PS256: the signature of other data, an altered one and another salt length are refused", async () => {
  const keys = await subtle.generateKey(rsa("SHA-256"), true, ["sign", "verify"]);
  const signature = await subtle.sign(pss(32), keys.privateKey, data);
  assert.equal(await subtle.verify(pss(32), keys.publicKey, signature, data), true);
  assert.equal(await subtle.verify(pss(32), keys.publicKey, signature, other), false);
  assert.equal(await subtle.verify(pss(20), keys.publicKey, signature, data), false);
  for (const length of [0, 1, 255]) {
    const short = signature.slice(0, length);
    assert.equal(await subtle.verify(pss(32), keys.publicKey, short, data), false);
  }
  const altered = new Uint8Array(signature);
  altered[7] = (altered[7] ?? 0) ^ 1;
  assert.equal(await subtle.verify(pss(32), keys.publicKey, altered, data), false);
  const another = await subtle.generateKey(rsa("SHA-256"), true, ["sign", "verify"]);
  assert.equal(await subtle.verify(pss(32), another.publicKey, signature, data), false);
});

test("PS256: views into larger buffers are verified as views", async () => {
  const keys = await subtle.generateKey(rsa("SHA-256"), true, ["sign", "verify"]);
  const within = (bytes: ArrayBuffer): Uint8Array<ArrayBuffer> => {
    const larger = new Uint8Array(bytes.byteLength + 20).fill(9);
    larger.set(new Uint8Array(bytes), 10);
    return larger.subarray(10, 10 + bytes.byteLength);
  };
  const signature = await subtle.sign(pss(32), keys.privateKey, data);
  const [signed, view] = [within(signature), new DataView(within(data.buffer).buffer, 10, 14)];
  assert.equal(await subtle.verify(pss(32), keys.publicKey, signed, view), true);
});

test("PS256: a private key, a key that may not verify and a key of another algorithm are refused", async () => {
  const keys = await subtle.generateKey(rsa("SHA-256"), true, ["sign", "verify"]);
  const signature = await subtle.sign(pss(32), keys.privateKey, data);
  await assert.rejects(subtle.verify(pss(32), keys.privateKey, signature, data), {
    name: "InvalidAccessError",
  });
  const jwk = await subtle.exportKey("jwk", keys.publicKey);
  const useless = await subtle.importKey("jwk", { ...jwk, key_ops: [] }, rsa("SHA-256"), true, []);
  await assert.rejects(subtle.verify(pss(32), useless, signature, data), {
    name: "InvalidAccessError",
  });
  const pkcs1 = { ...rsa("SHA-256"), name: "RSASSA-PKCS1-v1_5" };
  const foreign = await subtle.generateKey(pkcs1, true, ["sign", "verify"]);
  await assert.rejects(subtle.verify(pss(32), foreign.publicKey, signature, data), {
    name: "InvalidAccessError",
  });
});

test("other algorithms are still verified", async () => {
  const ps384 = await subtle.generateKey(rsa("SHA-384"), true, ["sign", "verify"]);
  const first = await subtle.sign(pss(48), ps384.privateKey, data);
  assert.equal(await subtle.verify(pss(48), ps384.publicKey, first, data), true);
  assert.equal(await subtle.verify(pss(48), ps384.publicKey, first, other), false);
  const ecdsa = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const es256 = await subtle.generateKey(ecdsa, true, ["sign", "verify"]);
  const second = await subtle.sign(ecdsa, es256.privateKey, data);
  assert.equal(await subtle.verify(ecdsa, es256.publicKey, second, data), true);
  assert.equal(await subtle.verify(ecdsa, es256.publicKey, second, other), false);
  const hmac = await subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, true, [
    "sign",
    "verify",
  ]);
  const third = await subtle.sign("HMAC", hmac, data);
  assert.equal(await subtle.verify("HMAC", hmac, third, data), true);
  assert.equal(await subtle.verify("HMAC", hmac, third, other), false);
});
