import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { calculateJwkThumbprint, SignJWT } from "jose";
import { sha256 } from "#src/lib/hash.ts";

/** What a signature of a request is about. */
type SignedRequest = { method: string; path: string; body: Buffer | null };

/** Returns the signature of a request to the core, a JWT for the header `Aldgate-Signature`. */
export type RequestSigner = (request: SignedRequest) => Promise<string>;

const lifetimeSeconds = 60;

/**
 * Makes the signer with the RSA key in a PEM file. A core behind a gateway that ends TLS can check
 * with it who has made a request. The id of the key is its thumbprint. Throws if the file has no
 * such key. Source: RFC 7638 section 3.
 */
export async function openRequestSigner(
  path: string,
  now: () => Temporal.Instant,
): Promise<RequestSigner> {
  const key: KeyObject = createPrivateKey(readFileSync(path));
  if (key.asymmetricKeyType !== "rsa") throw new Error("the key must be an RSA key");
  const kid = await calculateJwkThumbprint(createPublicKey(key).export({ format: "jwk" }));
  return ({ method, path: target, body }) => {
    const at = Math.floor(now().epochMilliseconds / 1000);
    return new SignJWT({ htm: method, htu: target, digest: sha256(body ?? "") })
      .setProtectedHeader({ alg: "PS256", kid })
      .setIssuedAt(at)
      .setExpirationTime(at + lifetimeSeconds)
      .sign(key);
  };
}
