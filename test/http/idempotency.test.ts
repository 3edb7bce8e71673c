import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprint, takeIdempotencyKey } from "#src/http/headers/request-headers.ts";
import { idempotencyKeyV4 } from "#src/standard/shared/header-forms.ts";

test("P-042, P-043, P-044, P-045: an idempotency key has 1 to 40 characters and no white space at its ends", () => {
  for (const key of ["a", "a b", "x".repeat(40), "é".repeat(40)]) {
    assert.equal(takeIdempotencyKey(key, idempotencyKeyV4), key);
  }
  for (const key of ["", " ", " a", "a ", "\ta", "x".repeat(41), ["a", "b"]]) {
    assert.throws(() => takeIdempotencyKey(key, idempotencyKeyV4), /U006 x-idempotency-key/);
  }
  assert.throws(() => takeIdempotencyKey(undefined, idempotencyKeyV4), /U007 x-idempotency-key/);
});

test("P-049: a request's fingerprint depends on its values, not on member order or spacing", () => {
  const one = fingerprint(JSON.parse('{"a":{"b":1,"c":[1,2]},"d":"x"}'));
  assert.equal(fingerprint(JSON.parse('{ "d":"x", "a":{"c":[1,2],"b":1} }')), one);
  for (const other of ['{"a":{"b":1,"c":[2,1]},"d":"x"}', '{"a":{"b":"1","c":[1,2]},"d":"x"}']) {
    assert.notEqual(fingerprint(JSON.parse(other)), one);
  }
});
