import { constants, hash, type KeyObject, privateEncrypt, randomBytes } from "node:crypto";

const hashBytes = 32;

/**
 * Signs a SHA-256 digest with RSASSA-PSS. Node signs only messages, so the encoding is here. It is
 * for the reference service, which developers and tests use in place of a cloud key service. The
 * bank never uses it: it signs messages, or checks what a service has signed, with OpenSSL alone.
 * Source: RFC 8017 sections 8.1.1 and 9.1.1.
 */
export function signDigest(key: KeyObject, digest: Uint8Array): Buffer {
  const bits = (key.asymmetricKeyDetails?.modulusLength ?? 0) - 1;
  const length = Math.ceil(bits / 8);
  const salt = randomBytes(hashBytes);
  const seed = sha256(Buffer.concat([Buffer.alloc(8), digest, salt]));
  const block = Buffer.alloc(length - hashBytes - 1);
  block[block.length - salt.length - 1] = 1;
  salt.copy(block, block.length - salt.length);
  const mask = maskOf(seed, block.length);
  for (const [index, byte] of mask.entries()) block[index] = (block[index] ?? 0) ^ byte;
  block[0] = (block[0] ?? 0) & (0xff >> (8 * length - bits));
  const encoded = Buffer.concat([block, seed, Buffer.from([0xbc])]);
  const whole = Buffer.alloc(Math.ceil((bits + 1) / 8));
  encoded.copy(whole, whole.length - encoded.length);
  return privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, whole);
}

const sha256 = (bytes: Uint8Array): Buffer => hash("sha256", bytes, "buffer");

/** Returns the mask of a seed. Source: RFC 8017 appendix B.2.1: MGF1. */
function maskOf(seed: Buffer, length: number): Buffer {
  const pieces: Buffer[] = [];
  for (let counter = 0; counter * hashBytes < length; counter += 1) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(counter);
    pieces.push(sha256(Buffer.concat([seed, number])));
  }
  return Buffer.concat(pieces).subarray(0, length);
}
