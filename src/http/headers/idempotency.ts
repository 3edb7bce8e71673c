import { refusal } from "#src/http/api-error.ts";
import { canonicalJson, type Rewrite } from "#src/lib/canonical-json.ts";
import { sha256 } from "#src/lib/hash.ts";
import type { HeaderForm } from "#src/standard/api-version.ts";

/** Name of the header that makes a repeated POST the same request. */
export const idempotencyHeader = "x-idempotency-key";

/** Returns the idempotency key; throws U007 if it is absent, U006 if it is not in this form. */
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
 * What two requests with one idempotency key are compared by: SHA-256 (base64url) of the parsed
 * body, whatever its spacing and the order of its members, its values as `rewrite` gives them.
 * Source: P-048, P-049, D-401-10.
 */
export const fingerprint = (body: unknown, rewrite?: Rewrite): string =>
  sha256(canonicalJson(body, rewrite));
