// What scripts/run.mjs installs before it runs a command, with an npm and a Node that only record
// that they were called.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
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
  "scripts/launch.mjs",
  "node/package.json",
  "node/package-lock.json",
  "scripts/node-options.json",
  "package.json",
  "package-lock.json",
  "test/postgres-lane.json",
  "test/longest-files.json",
];

type Package = { version: string; dev?: boolean; optional?: boolean };
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  packages: Record<string, Package>;
};

const read = (place: string) => JSON.parse(readFileSync(join(root, place), "utf8"));
const pinned: Record<string, string> = read("node/package.json").optionalDependencies;
const platform = `-${process.platform}-${process.arch}`;
const name = Object.keys(pinned).find((one) => one.endsWith(platform));
const ofPinned = `node/node_modules/${name}`;

const folders: string[] = [];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aldgate-installation-"));
  folders.push(folder);
  for (const file of copied) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  // the Node of these tests plays one that is too old
  setOldest(99);
  record("tools/npm", 'mkdir -p node_modules\nif [ $at = node ]; then install_node "$from"; fi');
  record("tools/node", "");
  record("installed/bin/node", "");
  writeFileSync(join(folder, "installed/package.json"), `{"version":"${pinned[String(name)]}"}`);
  mkdirSync(join(folder, "node/node_modules"));
});
after(() => {
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

function setOldest(oldest: number): void {
  const options = { ...read("scripts/node-options.json"), oldest };
  writeFileSync(join(folder, "scripts/node-options.json"), JSON.stringify(options));
}

/** Writes a program that notes its name, its folder if that is `node`, and its arguments. */
function record(place: string, more: string): void {
  const path = join(folder, place);
  mkdirSync(dirname(path), { recursive: true });
  const program = place.split("/").at(-1);
  const lines = [
    "#!/bin/sh",
    "from=$PWD",
    `case "$from" in "${join(folder, "node")}"*) at=node ;; *) at=clone ;; esac`,
    // like npm ci, which deletes what is installed
    "install_node() {",
    '  rm -rf "$1/node_modules"; mkdir -p "$1/node_modules"',
    `  cp -R installed "$1/node_modules/${name}"`,
    "}",
    `cd "${folder}"`,
    `if [ $at = node ]; then echo "${program} in node $*"; else echo "${program} $*"; fi >> called`,
    more,
  ];
  writeFileSync(path, lines.join("\n"));
  chmodSync(path, 0o755);
}

/** Records that npm has installed these packages, and the pinned Node. */
function install(wanted: (one: Package) => boolean): void {
  const packages = Object.fromEntries(
    Object.entries(lock.packages).filter(([place, one]) => place !== "" && wanted(one)),
  );
  mkdirSync(join(folder, "node_modules"));
  const text = JSON.stringify({ packages });
  writeFileSync(join(folder, "node_modules/.package-lock.json"), text);
  cpSync(join(folder, "installed"), join(folder, ofPinned), { recursive: true });
}

type Ran = {
  /** The calls of npm for the packages. */
  npm: string[];
  /** How often npm was called for the pinned Node. */
  nodes: number;
  /** Whether the pinned Node ran the command. */
  ran: boolean;
};

/** Runs a command, and returns what was called. */
function run(command: string, settings: Record<string, string> = {}): Ran {
  const env = { PATH: `${join(folder, "tools")}:${process.env.PATH}`, ...settings };
  spawnSync(process.execPath, [join(folder, "scripts/run.mjs"), command], { env, cwd: folder });
  const file = join(folder, "called");
  const called = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const [nodes, npm] = [/^npm in node ci /, /^npm ci /].map((call) =>
    called.filter((line) => call.test(line)),
  );
  return {
    npm: npm ?? [],
    nodes: nodes?.length ?? 0,
    ran: called.some((line) => line.startsWith("node ") && line.includes(command)),
  };
}

test("a bank whose development packages were left out runs without installing anything", () => {
  install(({ dev }) => !dev);
  assert.deepEqual(run("config"), { npm: [], nodes: 0, ran: true });
});

test("a new clone installs what running needs for a command of the bank, and no more", () => {
  const { npm, nodes, ran } = run("config");
  assert.equal(npm.length, 1);
  assert.match(String(npm[0]), /^npm ci .*--omit=dev --include=optional$/);
  assert.equal(nodes, 1);
  assert.ok(ran);
});

test("a Node that is new enough runs the bank, and the pinned one is not installed", () => {
  setOldest(26);
  mkdirSync(join(folder, "src"));
  const main = 'import { writeFileSync } from "node:fs"; writeFileSync("ran", "");';
  writeFileSync(join(folder, "src/main.ts"), main);
  const { nodes, ran } = run("config");
  assert.equal(nodes, 0);
  assert.ok(!ran && existsSync(join(folder, "ran")));
  // tests and checks use the pinned one all the same
  assert.equal(run("conformance").nodes, 1);
});

test("a pinned Node of another version is replaced", () => {
  install(({ dev }) => !dev);
  writeFileSync(join(folder, ofPinned, "package.json"), '{"version":"26.0.0"}');
  rmSync(join(folder, ofPinned, "bin"), { recursive: true });
  assert.equal(run("config").nodes, 1);
});

test("two first commands at once share one pinned Node, and neither takes it from the other", async () => {
  install(({ dev }) => !dev);
  rmSync(join(folder, ofPinned), { recursive: true });
  // the first npm ends when the second has begun, and the second when the first one's bank runs
  record(
    "tools/npm",
    [
      "until [ \"$(grep -c '^npm' called)\" -ge 2 ]; do sleep 0.1; done",
      "if ! mkdir first 2>/dev/null; then",
      "  until grep -q '^node' called; do sleep 0.1; done",
      "fi",
      'install_node "$from"',
      `echo $$ > "$from/node_modules/${name}/installed-by"`,
    ].join("\n"),
  );
  record("installed/bin/node", 'cat "$(dirname "$0")/../installed-by" >> programs');
  const ended = await Promise.all(["config", "config"].map(start));
  assert.deepEqual(ended, [0, 0]);
  const programs = readFileSync(join(folder, "programs"), "utf8").trim().split("\n");
  assert.equal(programs.length, 2);
  assert.equal(new Set(programs).size, 1, programs.join(", "));
  assert.deepEqual(readdirSync(join(folder, "node/node_modules")), [name]);
});

/** Starts a command; resolves with its exit code. What it complains about is added to a file. */
const start = (command: string): Promise<unknown> =>
  new Promise((resolve) => {
    const env = { PATH: `${join(folder, "tools")}:${process.env.PATH}` };
    const args = [join(folder, "scripts/run.mjs"), command];
    const said = openSync(join(folder, "said"), "a");

    spawn(process.execPath, args, { env, cwd: folder, stdio: ["ignore", "ignore", said] }).on(
      "exit",
      resolve,
    );
    closeSync(said);
  });

// commands that wait for each other would not end
const limited = { timeout: 120_000 };

/** Makes npm record that it has installed all packages, after these lines. */
function installAll(...before: string[]): void {
  writeFileSync(join(folder, "all.json"), JSON.stringify({ packages: lock.packages }));
  record(
    "tools/npm",
    [
      'if [ $at = node ]; then install_node "$from"; exit; fi',
      ...before,
      "rm -rf node_modules; mkdir node_modules; cp all.json node_modules/.package-lock.json",
    ].join("\n"),
  );
}

test(
  "two first commands in a new clone share one installation, and both run",
  limited,
  async () => {
    const others = "grep -q 'Another command is installing' said";
    const calls = "[ \"$(grep -c '^npm ci' called)\" -ge 2 ]";
    installAll(`until ${others} || ${calls}; do sleep 0.1; done`);
    // each bank runs until the other one runs
    record(
      "installed/bin/node",
      "until [ \"$(grep -c '^node ' called)\" -ge 2 ]; do sleep 0.1; done",
    );
    assert.deepEqual(await Promise.all(["config", "config"].map(start)), [0, 0]);
    const called = readFileSync(join(folder, "called"), "utf8");
    assert.equal(called.match(/^npm ci/gm)?.length, 1, called);
    assert.equal(called.match(/^node .*config/gm)?.length, 2, called);
    assert.deepEqual(readdirSync(join(folder, "node")).sort(), inNode);
  },
);

test("an installation that was killed keeps no other command waiting", () => {
  installAll();
  const { pid } = spawnSync(process.execPath, ["--version"]);
  writeFileSync(join(folder, "node/.installing"), String(pid));
  const { npm, ran } = run("config");
  assert.deepEqual([npm.length, ran], [1, true]);
  assert.deepEqual(readdirSync(join(folder, "node")).sort(), inNode);
});

const inNode = ["node_modules", "package-lock.json", "package.json"];

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
  install(({ dev, optional }) => !dev && !optional);
  assert.deepEqual(run("config", production), { npm: [], nodes: 0, ran: true });
  const file = join(folder, "settings.json");
  writeFileSync(file, JSON.stringify(production));
  assert.deepEqual(run("config", { ALDGATE_CONFIG: file }).npm, []);
});

test("a bank in production installs at most 110 packages, and nothing of the sandbox's", () => {
  const { npm } = run("config", production);
  assert.match(String(npm[0]), /^npm ci .*--omit=dev --omit=optional$/);
  const installed = Object.entries(lock.packages).filter(
    ([place, { dev, optional }]) => place !== "" && !dev && !optional,
  );
  assert.ok(installed.length <= 110, `${installed.length} packages`);
  const names = installed.map(([place]) => place.replace(/.*node_modules\//, ""));
  for (const name of ["pdfkit", "@electric-sql/pglite"]) assert.ok(!names.includes(name), name);
});

test("a sandbox after a bank installs the packages that the bank left out", () => {
  install(({ dev, optional }) => !dev && !optional);
  const { npm } = run("config");
  assert.equal(npm.length, 1);
  assert.doesNotMatch(String(npm[0]), /--omit=optional/);
});
