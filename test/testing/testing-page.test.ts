// docs/testing.md and the bank agree: each block of the page is a test file, which is run.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { laneCache } from "./cached-bank.ts";

const page = readFileSync(new URL("../../docs/testing.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, text = ""]) => text);
const entry = new URL("../../src/testing/index.ts", import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), "aldgate-testing-page-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("docs/testing.md has an example for each part", () => {
  assert.equal(blocks.length, 4);
});

for (const [index, text] of blocks.entries()) {
  const title = /test\("([^"]*)"/.exec(text)?.[1];
  test(`the example of docs/testing.md runs: ${title}`, async () => {
    assert.ok(text.includes('from "aldgate/testing"'), "it imports the package");
    const file = join(folder, `${index}.test.mts`);
    writeFileSync(file, text.replace('"aldgate/testing"', JSON.stringify(entry)));
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, ["--test", file], {
      cwd: folder,
      env: { ...environment, XDG_CACHE_HOME: dirname(laneCache()) },
    }).catch((error) => assert.fail(error.stdout));
    assert.match(stdout, /pass 1\n/);
  });
}
