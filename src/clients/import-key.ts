import { createPublicKey, type KeyObject } from "node:crypto";

/** The signature algorithms that FAPI allows. */
export type Algorithm = "PS256" | "ES256";

/** The members of a public JWK that are read. */
export type KeyMembers = {
  kty?: string;
  n?: string;
  e?: string;
  crv?: string;
  x?: string;
  y?: string;
};

const shortestModulus = 2048;

/**
 * Imports a key for an algorithm. Returns null if the key does not fit it or is invalid: a set may
 * contain keys of other algorithms, and such a key must not affect the others. Source: R-094.
 */
export function importKey(jwk: KeyMembers, algorithm: Algorithm): KeyObject | null {
  const { kty = "", n = "", e = "", crv = "", x = "", y = "" } = jwk;
  const isRsa = kty === "RSA" && Buffer.from(n, "base64url").length * 8 >= shortestModulus;
  const isEc = kty === "EC" && crv === "P-256";
  if (algorithm === "PS256" ? !isRsa : !isEc) return null;
  try {
    const members: Record<string, string> = isRsa ? { kty, n, e } : { kty, crv, x, y };
    return createPublicKey({ key: members, format: "jwk" });
  } catch {
    return null;
  }
}
