import { KeyObject, verify, type webcrypto } from "node:crypto";
import { ps256 } from "#src/http/signature/signer.ts";

// Importing this module replaces the `crypto.subtle.verify` of the process for PS256. oidc-provider
// verifies client assertions and Request Objects with it. WebCrypto passes each verification to
// another thread and back, which costs much more than the 0.03 ms of a PS256 verification: see
// docs/decisions/0008. WebCrypto still verifies all other algorithms.

const { subtle } = globalThis.crypto;
const verifyElsewhere = subtle.verify.bind(subtle);

// as many as SHA-256 has. Source: RFC 7518 section 3.5
const saltBytes = 32;

/** Whether this verifies PS256 with a key that WebCrypto accepts. If not, WebCrypto handles it. */
const isPs256 = (given: { name: string }, { algorithm, type, usages }: CryptoKey): boolean =>
  given.name === "RSA-PSS" &&
  (given as webcrypto.RsaPssParams).saltLength === saltBytes &&
  algorithm.name === given.name &&
  // every RSA-PSS key has a hash
  (algorithm as webcrypto.RsaHashedKeyAlgorithm).hash.name === "SHA-256" &&
  type === "public" &&
  usages.includes("verify");

subtle.verify = async (algorithm, key, signature, data) => {
  if (typeof algorithm === "string" || !isPs256(algorithm, key)) {
    return verifyElsewhere(algorithm, key, signature, data);
  }
  const options = { key: KeyObject.from(key), ...ps256 };
  return verify("sha256", bytesOf(data), options, bytesOf(signature));
};

const bytesOf = (source: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
