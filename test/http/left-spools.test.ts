import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { removeLeftSpools } from "#src/http/body/spool.ts";

test("a start removes old spool files, and leaves new ones and folders", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "left-files-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [old, recent, other] = ["aldgate-spool-old", "aldgate-spool-new", "aldgate-spool-folder"];
  mkdirSync(join(folder, other));
  for (const name of [old, recent]) writeFileSync(join(folder, name), "");
  for (const name of [old, other]) utimesSync(join(folder, name), 0, 0);
  await removeLeftSpools(folder);
  assert.deepEqual(readdirSync(folder).sort(), [other, recent].sort());
});
