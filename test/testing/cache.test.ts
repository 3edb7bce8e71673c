import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { keptFile, removeUnused } from "#src/testing/cache.ts";

const folder = mkdtempSync(join(tmpdir(), "aldgate-kept-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("a file that several want at the same time is made once", async () => {
  const file = join(folder, "once");
  let made = 0;
  const make = async (draft: string): Promise<void> => {
    made += 1;
    await delay(100);
    writeFileSync(draft, "contents");
  };
  const files = await Promise.all([1, 2, 3].map(() => keptFile(file, make)));
  assert.deepEqual(files, [file, file, file]);
  assert.equal(made, 1);
  assert.equal(readFileSync(file, "utf8"), "contents");
});

test("a file whose making has failed is made by the next who wants it", async () => {
  const file = join(folder, "failed");
  const fail = keptFile(file, async (draft) => {
    writeFileSync(draft, "half");
    throw new Error("out of luck");
  });
  await assert.rejects(fail, /out of luck/);
  assert.equal(existsSync(file), false);
  await keptFile(file, async (draft) => writeFileSync(draft, "whole"));
  assert.equal(readFileSync(file, "utf8"), "whole");
});

test("what a killed process has left does not stop the next", async () => {
  const file = join(folder, "left");
  mkdirSync(`${file}.lock`);
  writeFileSync(join(`${file}.lock`, "left"), "half");
  writeFileSync(join(`${file}.lock`, "process-id"), "1");
  await keptFile(file, async (draft) => writeFileSync(draft, "whole"));
  assert.equal(readFileSync(file, "utf8"), "whole");
});

test("files that nobody has used for a fortnight are deleted, and others are not", async () => {
  const [unused, used] = [join(folder, "unused"), join(folder, "used")];
  const old = new Date(Date.now() - 15 * 24 * 3_600_000);
  for (const file of [unused, used]) {
    writeFileSync(file, "");
    utimesSync(file, old, old);
  }
  await keptFile(used, () => assert.fail("the file exists"));
  removeUnused(folder);
  assert.equal(existsSync(unused), false);
  assert.equal(existsSync(used), true);
});
