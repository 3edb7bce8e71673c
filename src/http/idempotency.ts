import { canonicalJson, type Rewrite } from "#src/lib/canonical-json.ts";
import { sha256 } from "#src/lib/hash.ts";
import { refusal } from "./api-error.ts";

/** Name of the header that makes a repeated POST the same request. */
export const idempotencyHeader = "x-idempotency-key";

const form = /^(?!\s).{0,39}\S$/u;

/**
 * Gives the idempotency key, or throws: U007 when it is absent, U006 when it is empty, longer than
 * 40 characters or padded with white space. Source: P-042…P-045.
 */
export function takeIdempotencyKey(value: string | string[] | undefined): string {
  if (value === undefined) {
    throw refusal("U007", idempotencyHeader, "Send a key that is unique to this request.");
  }
  if (typeof value !== "string" || !form.test(value)) {
    const message = "Send 1 to 40 characters without white space at either end.";
    throw refusal("U006", idempotencyHeader, message);
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
