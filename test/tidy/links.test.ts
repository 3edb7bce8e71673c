import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { readSourceFiles, root, type SourceFile } from "#scripts/source-files.ts";

const pages = readSourceFiles("*.md");
const withoutCode = (text: string): string =>
  text.replace(/^ *```[\s\S]*?^ *```/gm, "").replace(/`[^`\n]*`/g, "");

/** Returns the anchors of a page's headings, as the usual renderers make them. */
const anchorsOf = ({ text }: SourceFile): string[] =>
  [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

test("every relative link of a page leads to a file, and to a heading if it names one", () => {
  const broken: string[] = [];
  let checked = 0;
  for (const page of pages) {
    for (const [, link = ""] of withoutCode(page.text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      checked += 1;
      const [file = "", anchor] = link.split("#");
      const path = file === "" ? page.path : normalize(join(dirname(page.path), file));
      const target = pages.find((each) => each.path === path);
      const isThere =
        existsSync(join(root, path)) &&
        (!anchor || (target !== undefined && anchorsOf(target).includes(anchor)));
      if (!isThere) broken.push(`${page.path}: ${link}`);
    }
  }
  assert.ok(checked > 200);
  assert.deepEqual(broken, []);
});

test("every source file that a page names exists", () => {
  const missing: string[] = [];
  let checked = 0;
  // decisions say how things were when they were made
  for (const { path, text } of pages.filter((page) => !page.path.includes("decisions/"))) {
    for (const [, named = ""] of text.matchAll(/`([a-z][\w-]*\/[\w./-]+\.(?:ts|mjs|sql))`/g)) {
      checked += 1;
      const isThere = ["", "src", "test"].some((folder) => existsSync(join(root, folder, named)));
      if (!isThere) missing.push(`${path}: ${named}`);
    }
  }
  assert.ok(checked > 200);
  assert.deepEqual(missing, []);
});

test("each decision record has a number of its own, which its heading repeats", () => {
  const records = pages.filter(({ path }) => path.startsWith("docs/decisions/"));
  const numbers = records.map(({ path }) => path.slice("docs/decisions/".length).slice(0, 4));
  assert.ok(records.length > 30);
  assert.deepEqual(numbers.toSorted(), [...new Set(numbers)].toSorted());
  records.forEach(({ path, text }, index) => {
    assert.ok(text.startsWith(`# ${numbers[index]}: `), path);
  });
});
