import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clientTypes } from "#scripts/client-types.ts";
import { root } from "#scripts/source-files.ts";

for (const [path, text] of clientTypes()) {
  test(`the client's types in ${path} are those of the bank's document`, () => {
    const isCurrent = readFileSync(join(root, path), "utf8") === text;
    assert.ok(isCurrent, "write them again: node scripts/run.mjs client-types");
  });
}
