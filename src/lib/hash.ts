import { hash } from "node:crypto";

/** SHA-256 of text (UTF-8) or bytes, base64url without padding: 43 characters. */
export function sha256(input: string | Uint8Array): string {
  return hash("sha256", input, "base64url");
}
