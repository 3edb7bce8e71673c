import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

test("aldgate/testing says which Node it needs if an older one loads it", () => {
  const entry = new URL("../../src/testing/entry.ts", import.meta.url).href;
  const older = "{ ...process.versions, node: '20.19.0' }";
  const program = `
    Object.defineProperty(process, "versions", { value: ${older} });
    await import(${JSON.stringify(entry)});`;
  const line = ["--input-type=module", "--eval", program];
  const { status, stderr } = spawnSync(process.execPath, line, { encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /aldgate\/testing needs Node 26 or later.*\. This is Node 20\.19\.0\./);
});
