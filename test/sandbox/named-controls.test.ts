import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { controlRows } from "#src/sandbox/controls/interface.ts";

const root = new URL("../../", import.meta.url);
const files = globSync(
  ["src/**/*.ts", "docs/*.md", "README.md", "packages/*/{README.md,src/**/*.ts}"],
  {
    cwd: root,
  },
);

// a method, and a path that may begin in the next part of a text
const named = /\b(GET|POST|PUT|PATCH|DELETE)["'`]?(?:\s*\+)?[\s"'`]{1,12}(\/[\w{}:$./-]+)/g;

/** Whether a path without the prefix is that of a control. */
const controls = controlRows.map(({ route: [method, path] }) => {
  const parts = path.split("/").map((part) => (part.startsWith(":") ? "[^/]+" : part));
  return { method, pattern: new RegExp(`^${parts.join("/")}$`) };
});
const isControl = (method: string, path: string): boolean =>
  controls.some((one) => one.method === method && one.pattern.test(path));

test("every text that names a control names its whole path, so that it can be pasted", () => {
  let count = 0;
  const short: string[] = [];
  for (const file of files) {
    const text = readFileSync(new URL(file, root), "utf8");
    for (const [, method = "", given = ""] of text.matchAll(named)) {
      const path = given.replace(/[.:]+$/, "");
      if (isControl(method, path.replace("/sandbox/v1", ""))) count += 1;
      if (isControl(method, path)) short.push(`${file}: ${method} ${path}`);
    }
  }
  assert.ok(count > 10, `${count} texts name a control`);
  assert.deepEqual(short, []);
});
