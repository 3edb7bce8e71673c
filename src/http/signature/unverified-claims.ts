import { decodeJwt } from "jose";

/** The claims of a JWT that nobody has verified; null if the value is not a JWT. */
export function unverifiedClaims(value: unknown): Record<string, unknown> | null {
  if (typeof value !== "string") return null;
  try {
    return decodeJwt(value);
  } catch {
    return null;
  }
}
