import { createPublicKey, generateKeyPair, X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint, type JWK } from "jose";
import { sha256 } from "#src/lib/hash.ts";
import type { KeyPem } from "./certificates.ts";

const generate = promisify(generateKeyPair);
const encoding = {
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
} as const;

/** Generates an RSA key of 2048 bits, off the main thread. */
export async function generateRsaKey(): Promise<KeyPem> {
  const { privateKey, publicKey } = await generate("rsa", { modulusLength: 2048, ...encoding });
  return { privateKeyPem: privateKey, publicKeyPem: publicKey };
}

/** Generates an EC key on P-256. */
export async function generateEcKey(): Promise<KeyPem> {
  const { privateKey, publicKey } = await generate("ec", { namedCurve: "P-256", ...encoding });
  return { privateKeyPem: privateKey, publicKeyPem: publicKey };
}

/** Converts a PEM key to a public JWK for PS256 signatures, with its thumbprint as `kid`. */
export async function signingJwk(pem: string): Promise<JWK & { kid: string }> {
  const jwk: JWK = createPublicKey(pem).export({ format: "jwk" });
  const alg = jwk.kty === "EC" ? "ES256" : "PS256";
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), use: "sig", alg };
}

/** Returns the thumbprint that binds a token to a certificate. Source: RFC 8705 section 3.1. */
export const certificateThumbprint = (certificatePem: string): string =>
  sha256(new X509Certificate(certificatePem).raw);
