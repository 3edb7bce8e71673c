import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { runCommand } from "#test/server/run-command.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

/** The pages that quote the message of a refusal, each with the test that provokes it. */
const quoted: Record<string, string> = {
  "docs/command-line.md": "test/tidy/quoted-messages.test.ts",
  "docs/files.md": "test/payments/files/uploads.test.ts",
};

test("a message that a page quotes is what the bank says, by a test", () => {
  const docs = readdirSync(new URL("docs/", root))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  const pages = ["README.md", "packages/client/README.md", "examples/README.md", ...docs];
  const quoting = pages.filter((page) => /"message": ?"/i.test(read(page)));
  assert.deepEqual(quoting.sort(), Object.keys(quoted));
  for (const [page, path] of Object.entries(quoted)) assert.ok(read(path).includes(page), page);
});

test("docs/command-line.md quotes what a command prints", async () => {
  const [, line = "", printed = ""] =
    /^\$ \.\/aldgate (.*)\n(\{"error"[^`]*)^```$/m.exec(read("docs/command-line.md")) ?? [];
  const run = await runCommand(line);
  assert.equal(run.code, 2);
  assert.equal(run.printed, printed.replaceAll("\n", ""));
});
