// The guides and the bank agree: each block of JavaScript or TypeScript is a test, which is run.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { laneCache } from "./cached-bank.ts";

/** The pages with examples, and how many each has. */
const pages: Readonly<Record<string, number>> = {
  testing: 4,
  "build-a-tpp": 5,
  "build-a-tpp-fapi1": 2,
  "build-a-tpp-fapi2": 1,
  "ten-mistakes": 1,
};

// where the packages are that an example imports
const imported = {
  "aldgate/testing": new URL("../../src/testing/index.ts", import.meta.url).href,
  jose: import.meta.resolve("jose"),
};
const folder = mkdtempSync(join(tmpdir(), "aldgate-guides-"));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [name, count] of Object.entries(pages)) {
  const page = readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");
  const blocks = [...page.matchAll(/```(?:js|ts)\n(.*?)```/gs)].map(([, text = ""]) => text);
  test(`docs/${name}.md has its examples`, () => {
    assert.equal(blocks.length, count);
  });
  test(`docs/${name}.md says above its first example which Node it needs`, () => {
    const above = page.slice(0, page.search(/```(?:js|ts)\n/));
    assert.match(above, /needs Node 26 or later[^#]*`await using`\s+with a SyntaxError/);
  });
  for (const [index, text] of blocks.entries()) {
    const title = /test\("([^"]*)"/.exec(text)?.[1];
    test(`the example of docs/${name}.md runs: ${title}`, async () => {
      assert.ok(text.includes('from "aldgate/testing"'), "it imports the package");
      const file = join(folder, `${name}-${index}.test.mts`);
      let runnable = text;
      for (const [specifier, url] of Object.entries(imported))
        runnable = runnable.replace(JSON.stringify(specifier), JSON.stringify(url));
      writeFileSync(file, runnable);
      const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
      const { stdout } = await promisify(execFile)(process.execPath, ["--test", file], {
        cwd: folder,
        env: { ...environment, XDG_CACHE_HOME: dirname(laneCache()) },
      }).catch((error) => assert.fail(error.stdout));
      assert.match(stdout, /pass 1\n/);
    });
  }
}
