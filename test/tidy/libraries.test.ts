import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "#scripts/source-files.ts";

type Manifest = { version: string; engines: object; dependencies: Record<string, string> };
type Lock = { packages: Record<string, { version: string }> };

const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));
const { packages } = read("package-lock.json") as Lock;
const project = read("package.json") as Manifest;

test("the client knows only the standard: all that is Aldgate's is in its module for the sandbox", () => {
  const folder = join(root, "packages/client/src");
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && file !== "sandbox.ts");
  assert.ok(files.length > 15);
  for (const file of files) {
    const text = readFileSync(join(folder, file), "utf8");
    assert.doesNotMatch(text, /aldgate|sandbox/i, file);
  }
});

for (const name of readdirSync(join(root, "packages"))) {
  const manifest = read(`packages/${name}/package.json`) as Manifest;

  test(`packages/${name} has the project's version and runs on the same versions of Node`, () => {
    assert.equal(manifest.version, project.version);
    assert.deepEqual(manifest.engines, project.engines);
  });

  test(`packages/${name} depends on the versions with which the project tests it`, () => {
    for (const [dependency, version] of Object.entries(manifest.dependencies)) {
      assert.equal(version, packages[`node_modules/${dependency}`]?.version, dependency);
    }
  });
}
