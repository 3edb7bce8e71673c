import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { hmacSha256, isSameText } from "#src/lib/hash.ts";

for (const bytes of [0, 1, 43, 63, 64, 65, 200]) {
  test(`an HMAC with a key of ${bytes} bytes equals Node's`, () => {
    const secret = "k".repeat(bytes);
    const sign = hmacSha256(secret);
    for (const text of ["", "abc", "é€😀", "x".repeat(1000)]) {
      const expected = createHmac("sha256", secret).update(text).digest("base64url");
      assert.equal(sign(text), expected);
    }
  });
}

// Source: RFC 4231 section 4.3
test("an HMAC equals the published one for the key Jefe", () => {
  const expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
  const made = hmacSha256("Jefe")("what do ya want for nothing?");
  assert.equal(Buffer.from(made, "base64url").toString("hex"), expected);
});

test("texts of different lengths or with different characters are not the same", () => {
  assert.ok(isSameText("abc", "abc"));
  assert.ok(!isSameText("abc", "abd"));
  assert.ok(!isSameText("abc", "ab"));
  assert.ok(!isSameText("", "a"));
});
