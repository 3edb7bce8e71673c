import { constants, KeyObject, verify, type webcrypto } from "node:crypto";

// Imported before oidc-provider, which verifies client assertions and Request Objects with
// WebCrypto. WebCrypto passes each verification to another thread and back, which costs much more
// than the 0.03 ms of a PS256 verification: see docs/decisions/0008. All else stays as it is.

const { subtle } = globalThis.crypto;
const verifyElsewhere = subtle.verify.bind(subtle);
const keyObjects = new WeakMap<CryptoKey, KeyObject>();

/** Whether WebCrypto would accept the key for a PS256 signature. */
const isPs256 = ({ name }: { name: string }, { algorithm, type, usages }: CryptoKey): boolean =>
  name === "RSA-PSS" &&
  algorithm.name === name &&
  (algorithm as webcrypto.RsaHashedKeyAlgorithm).hash.name === "SHA-256" && // as RSA-PSS keys have it
  type === "public" &&
  usages.includes("verify");

subtle.verify = async (algorithm, key, signature, data) => {
  if (typeof algorithm === "string" || !isPs256(algorithm, key)) {
    return verifyElsewhere(algorithm, key, signature, data);
  }
  let keyObject = keyObjects.get(key);
  if (!keyObject) {
    keyObject = KeyObject.from(key);
    keyObjects.set(key, keyObject);
  }
  const { saltLength } = algorithm as webcrypto.RsaPssParams;
  const options = { key: keyObject, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
  return verify("sha256", bytesOf(data), options, bytesOf(signature));
};

const bytesOf = (source: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
