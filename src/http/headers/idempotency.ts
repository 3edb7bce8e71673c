import { refusal } from "#src/http/api-error.ts";
import { canonicalJson, type Rewrite, sha256 } from "#src/lib/hash.ts";
import type { HeaderForm } from "#src/standard/api-version.ts";

/** Name of the header that makes a repeated POST the same request. */
export const idempotencyHeader = "x-idempotency-key";

/** Returns the idempotency key. Throws U007 if it is absent, U006 if its format is wrong. */
export function takeIdempotencyKey(value: string | string[] | undefined, form: HeaderForm): string {
  if (value === undefined) {
    throw refusal("U007", idempotencyHeader, "Send a key that is unique to this request.");
  }
  if (typeof value !== "string" || !form.pattern.test(value)) {
    throw refusal("U006", idempotencyHeader, form.advice);
  }
  return value;
}

/**
 * Identifies a request by its body: SHA-256 (base64url) of the parsed body, independent of spacing
 * and member order, with values rewritten by `rewrite`. Source: P-048, P-049, D-401-10.
 */
export const fingerprint = (body: unknown, rewrite?: Rewrite): string =>
  sha256(canonicalJson(body, rewrite));
