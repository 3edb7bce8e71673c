import { constants, type KeyObject, type VerifyKeyObjectInput, verify } from "node:crypto";
import { promisify } from "node:util";
import { type Der, tags } from "./der.ts";

// Algorithms of signatures on certificates, lists and responses. MD5 and SHA-1 are absent: they are
// refused. Source: RFC 4055 sections 3 and 5, RFC 5758 section 3, RFC 8410 section 3.
const hashes: Readonly<Record<string, string>> = {
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
};
const pss = "1.2.840.113549.1.1.10";
const pssHashes: Readonly<Record<string, string>> = {
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};
const edwards = "1.3.101.112";

const minimumRsaBits = 2048;

/**
 * A signed structure: the signed bytes, the algorithm and the signature. Source: RFC 5280 section
 * 4.1.1.
 */
export type Signed = { body: Pick<Der, "bytes">; algorithm: Der; signature: Buffer };

/** Reads a signed structure: body, algorithm and bit string. Throws. */
export function readSigned(value: Der): Signed & { body: Der } {
  const signature = value.at(2);
  if (signature.tag !== tags.bitString) throw new Error("there is no signature");
  return {
    body: value.at(0),
    algorithm: value.at(1),
    signature: signature.content.subarray(1), // the first byte is the number of unused bits
  };
}

/** Returns why an algorithm or a key is too weak; null if it is not. Source: R-094. */
export function weaknessOf(algorithm: Der, key: KeyObject): string | null {
  if (hashOf(algorithm) === undefined) return "WEAK_OR_UNKNOWN_SIGNATURE_ALGORITHM";
  const bits = key.asymmetricKeyDetails?.modulusLength;
  return bits !== undefined && bits < minimumRsaBits ? "RSA_KEY_UNDER_2048_BITS" : null;
}

/** Whether a signature was made by a key, with an algorithm that is not weak. */
export function isSignedBy(signed: Signed, key: KeyObject): boolean {
  if (weaknessOf(signed.algorithm, key) !== null) return false;
  try {
    return verify(...argumentsOf(signed, key));
  } catch {
    return false; // the key is of another type than the algorithm
  }
}

/** Like `isSignedBy`, on a thread: a signed structure of many megabytes takes long to hash. */
export const isLongSignedBy = async (signed: Signed, key: KeyObject): Promise<boolean> =>
  weaknessOf(signed.algorithm, key) === null &&
  verifyOnThread(...argumentsOf(signed, key)).catch(() => false);

type VerifyArguments = [
  hash: string | null | undefined,
  data: Buffer,
  key: VerifyKeyObjectInput,
  signature: Buffer,
];

const verifyOnThread = promisify<VerifyArguments[0], Buffer, VerifyKeyObjectInput, Buffer, boolean>(
  verify,
);

function argumentsOf({ body, algorithm, signature }: Signed, key: KeyObject): VerifyArguments {
  const pssOptions = {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_AUTO,
  };
  const isPss = algorithm.at(0).oid === pss;
  return [hashOf(algorithm), body.bytes, { key, ...(isPss ? pssOptions : {}) }, signature];
}

// undefined: the algorithm is not accepted; null: the algorithm does its own hashing
function hashOf(algorithm: Der): string | null | undefined {
  const oid = algorithm.at(0).oid ?? "";
  if (oid === edwards) return null;
  // without parameters, the hash of PSS would be SHA-1
  if (oid === pss) return pssHashes[pssHashId(algorithm) ?? ""];
  return hashes[oid];
}

const pssHashId = (algorithm: Der): string | null =>
  algorithm.items[1]?.tagged(0xa0)?.at(0).at(0).oid ?? null;
