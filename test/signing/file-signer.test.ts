import assert from "node:assert/strict";
import { generateKeyPairSync, verify } from "node:crypto";
import { test } from "node:test";
import { ps256 } from "#src/http/signature/signer.ts";
import { createFileSigner } from "#src/signing/locate-key.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

test("the main thread makes a signature, unless another was requested less than 2 ms before", async () => {
  let milliseconds = 0;
  const signer = createFileSigner(privateKey, () => milliseconds);
  const made: boolean[] = [];
  for (const at of [0, 1, 1, 3, 4, 10]) {
    milliseconds = at;
    const input = Buffer.from(`header.payload-${at}`);
    const signature = signer.sign(input);
    // the result of another thread cannot arrive before this thread returns to its event loop
    made.push((await Promise.race([signature, null])) !== null);
    assert.ok(verify("sha256", input, { key: publicKey, ...ps256 }, await signature));
  }
  assert.deepEqual(made, [true, false, false, true, false, true]);
});
