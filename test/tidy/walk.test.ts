import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";
import { root } from "#scripts/source-files.ts";

const { NODE_TEST_CONTEXT: _, ...env } = process.env;
const options = { cwd: root, encoding: "utf8", env } as const;

test("`npm run walk` prints the files of a request in the order in which they are entered", () => {
  const text = execFileSync(process.execPath, ["scripts/walk.ts", "page", "--functions"], options);
  const lines = text.split("\n");
  const places = ["http/exchange.ts", "accounts/operations.ts", "accounts/reading/page.ts"].map(
    (file) => lines.findIndex((line) => line.startsWith(file)),
  );
  assert.ok(!places.includes(-1), text);
  assert.deepEqual(
    places.toSorted((a, b) => a - b),
    places,
  );
  assert.match(text, /^accounts\/reading\/page\.ts +.*\brenderPage\b/m);
  assert.match(text, /^\d+ files, \d+ functions/m);
});

test("`npm run walk` lists the requests that it knows if it is given another one", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/walk.ts", "pages"], options);
  assert.equal(status, 2);
  assert.match(stderr, /Name one of these requests: order, page, vrp, registration, revocation/);
});
