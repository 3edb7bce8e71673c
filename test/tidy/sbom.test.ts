import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "#scripts/source-files.ts";

type Component = { name: string; version: string; licenses?: object[]; hashes?: object[] };
type Placed = { version?: string; dev?: boolean; optional?: boolean };

const hasNpm = spawnSync("npm", ["--version"]).status === 0;

test("the bill of materials lists each package that a bank installs, with its licence and its hash", {
  skip: hasNpm ? false : "there is no npm on this machine",
}, () => {
  const made = spawnSync(process.execPath, ["scripts/sbom.ts"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  assert.equal(made.status, 0, made.stderr);
  const { bomFormat, metadata, components } = JSON.parse(made.stdout) as {
    bomFormat: string;
    metadata: { component: Component };
    components: Component[];
  };
  assert.equal(bomFormat, "CycloneDX");
  assert.equal(metadata.component.name, "aldgate");
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const installed = Object.entries<Placed>(lock.packages)
    .filter(([place, { dev, optional }]) => place !== "" && !dev && !optional)
    .map(([place, { version }]) => `${place.replace(/.*node_modules\//, "")} ${version}`);
  assert.deepEqual(
    components.map(({ name, version }) => `${name} ${version}`).sort(),
    [...new Set(installed)].sort(),
  );
  for (const { name, licenses = [], hashes = [] } of components) {
    assert.ok(licenses.length > 0, `${name} has a licence`);
    assert.ok(hashes.length > 0, `${name} has a hash`);
  }
});
