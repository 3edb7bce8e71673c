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
