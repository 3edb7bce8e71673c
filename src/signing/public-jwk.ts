import { createPublicKey, type KeyObject } from "node:crypto";
import { sha256 } from "#src/lib/hash.ts";

/**
 * The public half of an RSA key for PS256, as the bank publishes it. Source: RFC 7517 section 4.
 */
export type PublicJwk = {
  kty: "RSA";
  e: string;
  n: string;
  kid: string;
  use: "sig";
  alg: "PS256";
};

/** The members of an RSA public key. */
type RsaMembers = { e: string; n: string };

/** Returns the public half of an RSA key. Its thumbprint is its id. Source: RFC 7638 section 3. */
export function publicJwkOf(key: KeyObject): PublicJwk {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  const { e = "", n = "" } = publicKey.export({ format: "jwk" });
  return publicJwk({ e, n });
}

/** Returns the JWK of an RSA public key. */
function publicJwk({ e, n }: RsaMembers): PublicJwk {
  const kid = sha256(JSON.stringify({ e, kty: "RSA", n })); // members in this order
  return { kty: "RSA", e, n, kid, use: "sig", alg: "PS256" };
}

/** Reads the public key of a JWK. Throws if the members are not those of an RSA key. */
export const publicKeyOf = ({ e, n }: RsaMembers): KeyObject =>
  createPublicKey({ key: { kty: "RSA", e, n }, format: "jwk" });
