// What scripts/run.mjs installs before it runs a command, with an npm and a Node that only record
// that they were called.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const copied = [
  "scripts/run.mjs",
  "scripts/node-options.json",
  "package.json",
  "package-lock.json",
  "test/postgres-lane.json",
  "test/longest-files.json",
];

type Package = { version: string; dev?: boolean; optional?: boolean; peer?: boolean };
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  packages: Record<string, Package>;
};

const folders: string[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aldgate-installation-"));
  folders.push(folder);
  for (const file of copied) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  record("tools/npm", "mkdir -p node_modules/.bin; cp tools/node node_modules/.bin/node");
  record("tools/node", "");
});
after(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

/** Writes a program that notes its name and arguments. */
function record(place: string, more: string): void {
  const path = join(folder, place);
  mkdirSync(dirname(path), { recursive: true });
  const name = place.split("/").at(-1);
  writeFileSync(path, `#!/bin/sh\ncd "${folder}"\necho "${name} $*" >> called\n${more}\n`);
  chmodSync(path, 0o755);
}

/** Records that npm has installed these packages. */
function install(wanted: (one: Package) => boolean): void {
  record("node_modules/.bin/node", "");
  const packages = Object.fromEntries(
    Object.entries(lock.packages).filter(([place, one]) => place !== "" && wanted(one)),
  );
  const text = JSON.stringify({ packages });
  writeFileSync(join(folder, "node_modules/.package-lock.json"), text);
}

/** Runs a command, and returns npm's calls and whether the command ran. */
function run(
  command: string,
  settings: Record<string, string> = {},
): { npm: string[]; ran: boolean } {
  const env = { PATH: `${join(folder, "tools")}:${process.env.PATH}`, ...settings };
  spawnSync(process.execPath, [join(folder, "scripts/run.mjs"), command], { env });
  const file = join(folder, "called");
  const called = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return {
    npm: called.filter((line) => line.startsWith("npm ")),
    ran: called.some((line) => line.startsWith("node ") && line.includes(command)),
  };
}

test("a bank whose development packages were left out runs without installing anything", () => {
  install(({ dev }) => !dev);
  assert.deepEqual(run("config"), { npm: [], ran: true });
});

test("a new clone installs what running needs for a command of the bank, and no more", () => {
  const { npm, ran } = run("config");
  assert.equal(npm.length, 1);
  assert.match(String(npm[0]), /^npm ci .*--omit=dev/);
  assert.ok(ran);
});

test("a package of another version than the lock's is installed before the bank runs", () => {
  install(({ dev }) => !dev);
  const written = join(folder, "node_modules/.package-lock.json");
  const text = readFileSync(written, "utf8");
  const { version = "" } = lock.packages["node_modules/fastify"] ?? {};
  writeFileSync(written, text.replace(`"version":"${version}"`, '"version":"0.0.1"'));
  assert.equal(run("config").npm.length, 1);
});

test("tests need the development packages, which are then installed with the rest", () => {
  install(({ dev }) => !dev);
  const { npm } = run("conformance");
  assert.equal(npm.length, 1);
  assert.doesNotMatch(String(npm[0]), /--omit/);
  // once installed, neither tests nor the bank install again
  assert.equal(run("conformance").npm.length, 1);
  assert.equal(run("config").npm.length, 1);
});

const production = { ALDGATE_PROFILE: "production" };

test("a bank in production runs without the sandbox's packages, whether a variable or a file says so", () => {
  install(({ dev, peer }) => !dev && !peer);
  assert.deepEqual(run("config", production), { npm: [], ran: true });
  const file = join(folder, "settings.json");
  writeFileSync(file, JSON.stringify(production));
  assert.deepEqual(run("config", { ALDGATE_CONFIG: file }).npm, []);
});

test("a bank in production installs at most 110 packages, and nothing of the sandbox's", () => {
  const { npm } = run("config", production);
  assert.match(String(npm[0]), /^npm ci .*--omit=dev --omit=peer$/);
  const installed = Object.entries(lock.packages).filter(
    ([place, { dev, peer }]) => place !== "" && !dev && !peer,
  );
  // one package for each platform has the pinned Node, and one of them is installed
  const nodes = installed.filter(([place]) => place.startsWith("node_modules/node-"));
  const count = installed.length - nodes.length + 1;
  assert.ok(count <= 110, `${count} packages`);
  const names = installed.map(([place]) => place.replace(/.*node_modules\//, ""));
  for (const name of ["pdfkit", "@electric-sql/pglite"]) assert.ok(!names.includes(name), name);
});

test("a sandbox after a bank installs the packages that the bank left out", () => {
  install(({ dev, peer }) => !dev && !peer);
  const { npm } = run("config");
  assert.equal(npm.length, 1);
  assert.doesNotMatch(String(npm[0]), /--omit=peer/);
});
