// Runs on any Node from version 20 and needs no installation: it installs what is missing, then
// starts the pinned Node. Usage: node scripts/run.mjs
// <test|check|format|build|bench|walk|soak|schema|conformance|sbom|published|client-types|node-releases|
// picture> [arguments], or any command of the CLI
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import {
  compileCache,
  installPackages,
  root,
  run,
  runBank,
  takePinned,
  takeSuitable,
} from "./launch.mjs";

// the oldest versions of Node that may run this file lack matchesGlob
const { join, matchesGlob, relative } = path;
const marker = join(root, "node_modules", ".aldgate-install");

/**
 * The test lanes. Every file runs on the embedded database. Files that need a PostgreSQL server,
 * because one connection cannot show what they test, run on PostgreSQL too: test/postgres-lane.json
 * lists them with the reason. No test may be skipped there.
 */
const needs = JSON.parse(readFileSync(join(root, "test/postgres-lane.json"), "utf8"));
const overHttp = [
  "accounts/page-walk.test.ts",
  "accounts/statement-file.test.ts",
  "funds/confirmation-steps.test.ts",
  "funds/funds-confirmations.test.ts",
  "journeys/file-entries.test.ts",
  "journeys/international.test.ts",
  "journeys/kinds.test.ts",
  "journeys/multi-authorisation.test.ts",
  "journeys/payee-check.test.ts",
  "journeys/payees-abroad.test.ts",
  "journeys/payments-v3.test.ts",
  "journeys/regular-payments.test.ts",
  "journeys/statements.test.ts",
  "payments/shared-numbers.test.ts",
];
const lanes = [
  {
    name: "on the embedded database",
    database: "pglite",
    files: () => findTests(),
    maySkip: true,
  },
  {
    name: "on PostgreSQL",
    database: "postgres",
    files: () => Object.keys(needs).map((file) => `test/${file}`),
    maySkip: false,
  },
  {
    // the whole contract between Aldgate and a core, by tests that know nothing of it
    name: "with the sandbox bank behind HTTP",
    database: "pglite",
    bank: "http",
    files: () => overHttp.map((file) => `test/${file}`),
    maySkip: true,
  },
];

function wantedInstall() {
  const lock = readFileSync(join(root, "package-lock.json"));
  return createHash("sha256").update(lock).update(process.platform).digest("hex");
}

function isInstalled(isRunning) {
  if (existsSync(marker) && readFileSync(marker, "utf8") === wantedInstall()) return true;
  return isRunning && hasRunningPackages();
}

/** Whether the settings are a bank's, which needs none of the packages of a sandbox. */
function isProduction() {
  const { ALDGATE_PROFILE: profile, ALDGATE_CONFIG: file } = process.env;
  if (profile !== undefined || file === undefined) return profile === "production";
  try {
    return JSON.parse(readFileSync(file, "utf8")).ALDGATE_PROFILE === "production";
  } catch {
    return false; // the command then says what is wrong with the file
  }
}

/** Whether npm has installed the packages that running the bank needs, with or without the rest. */
function hasRunningPackages() {
  const lockOf = (...parts) => JSON.parse(readFileSync(join(root, ...parts), "utf8")).packages;
  const written = join("node_modules", ".package-lock.json");
  if (!existsSync(join(root, written))) return false;
  const installed = lockOf(written);
  const isBank = isProduction();
  return Object.entries(lockOf("package-lock.json")).every(
    ([place, { version, dev, optional, devOptional }]) =>
      place === "" ||
      dev ||
      devOptional ||
      (optional && isBank) ||
      installed[place]?.version === version,
  );
}

const turn = join(root, "node", ".installing");

/**
 * Waits until no other command installs, because npm deletes what another npm has installed. The
 * turn is a file with the id of its process, which stays behind if the process is killed.
 */
function takeTurn() {
  for (let isTold = false; ; isTold = true) {
    try {
      writeFileSync(turn, String(process.pid), { flag: "wx" });
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (dropLeftBehind()) continue;
    if (!isTold) {
      console.error(
        "Another command is installing. Waiting for it … If there is none, delete " +
          `${turn} and run the same command again.`,
      );
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

/** Removes the turn of a process that has ended; returns whether there may be none any more. */
function dropLeftBehind() {
  const own = `${turn}-${process.pid}`;
  try {
    const holder = readFileSync(turn, "utf8");
    if (isAlive(holder)) return false;
    // only one command can rename it, and it may be a new turn already
    renameSync(turn, own);
    if (readFileSync(own, "utf8") === holder) rmSync(own);
    else renameSync(own, turn);
    return true;
  } catch (error) {
    if (error.code === "ENOENT") return true;
    throw error;
  }
}

function isAlive(holder) {
  if (holder === "") return true; // it is being written
  try {
    return process.kill(Number(holder), 0);
  } catch (error) {
    return error.code !== "ESRCH";
  }
}

function install(isRunning) {
  takeTurn();
  // another command may have installed meanwhile
  const isDone = isInstalled(isRunning) || installMissing(isRunning);
  rmSync(turn, { force: true });
  if (!isDone) process.exit(1);
}

function installMissing(isRunning) {
  console.error("Installing what Aldgate needs (once, about half a minute) …");
  // tests and checks need the development packages, a running bank does not; a bank in production
  // does not need the optional packages either, which are the sandbox's
  const which = isRunning ? ["--omit=dev"] : [];
  which.push(isRunning && isProduction() ? "--omit=optional" : "--include=optional");
  if (!installPackages(root, which)) {
    console.error(
      "\nThe installation failed: see npm's message above. Check that your npm registry is " +
        "reachable, and run the same command again.",
    );
    return false;
  }
  if (!isRunning) writeFileSync(marker, wantedInstall());
  return true;
}

const processes = 3;
const testing = ["--test", `--test-concurrency=${processes}`, "--test-global-setup=test/setup.ts"];

async function test(args) {
  const named = findNamed(args);
  if (named.length > 1) {
    const database = process.env.ALDGATE_TEST_DATABASE ?? "pglite";
    return runLane({ database, files: () => named, maySkip: true });
  }
  if (args.length > 0) return run(node, [...testing, ...args], compileCache);
  for (const lane of lanes) {
    console.log(`\n— tests ${lane.name} —`);
    const code = await runLane(lane);
    if (code !== 0) return code;
  }
  return 0;
}

// Loading the bank's modules and compiling the database cost more than the tests of most files, so a
// process runs at least ten files. The last processes find no file left, and end.
const filesPerProcess = 10;

async function runLane({ database, bank = "module", files, maySkip }) {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-lane-"));
  const results = join(folder, "results");
  const reporters = [
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    "--test-reporter=./scripts/lane-results.mjs",
    `--test-reporter-destination=${results}`,
  ];
  const queue = longFirst(files());
  const shares = writeShares(folder, queue);
  const environment = {
    ...compileCache,
    ALDGATE_TEST_DATABASE: database,
    ALDGATE_TEST_BANK: process.env.ALDGATE_TEST_BANK ?? bank,
    ALDGATE_TEST_QUEUE: folder,
  };
  const code = await run(node, [...testing, ...reporters, ...shares], environment);
  const unfinished = queue.filter((_, index) => !existsSync(join(folder, `${index}.done`)));
  // empty if the runner was killed
  const text = existsSync(results) ? readFileSync(results, "utf8") : "";
  const ended = text === "" ? { skipped: [], files: [] } : JSON.parse(text);
  rmSync(folder, { recursive: true, force: true });
  printSlowest(ended.files);
  if (unfinished.length > 0) {
    console.error(`These test files did not run to their end:\n${unfinished.join("\n")}`);
    return code || 1;
  }
  if (code !== 0 || maySkip || ended.skipped.length === 0) return code;
  console.error(
    `These tests were skipped, but must run in this lane:\n${ended.skipped.join("\n")}`,
  );
  return 1;
}

/** Lists the slowest test files with their seconds, the slowest first. */
function printSlowest(files) {
  if (files.length < 2) return;
  const slowest = files.sort(([, one], [, other]) => other - one).slice(0, 20);
  console.log(`\nThe slowest of ${files.length} test files:`);
  for (const [file, seconds] of slowest) {
    console.log(`${seconds.toFixed(1).padStart(8)} s  ${file}`);
  }
}

/** Lists the test files that the arguments name, or none if an argument names no test file. */
function findNamed(args) {
  const files = findTests();
  const named = args.map((one) => files.filter((file) => file === one || matchesGlob?.(file, one)));
  return named.every((found) => found.length > 0) ? [...new Set(named.flat())] : [];
}

function findTests() {
  const found = readdirSync(join(root, "test"), { recursive: true });
  return found.filter((file) => file.endsWith(".test.ts")).map((file) => join("test", file));
}

// Files whose tests take long for their size, because they start and kill processes.
const longest = JSON.parse(readFileSync(join(root, "test/longest-files.json"), "utf8"));

/** Puts the longest files first, then the largest, so that no long file starts last and alone. */
function longFirst(files) {
  const weigh = (file) => {
    const rank = longest.indexOf(relative("test", file));
    return rank < 0 ? statSync(join(root, file)).size : Number.MAX_SAFE_INTEGER - rank;
  };
  const weights = new Map(files.map((file) => [file, weigh(file)]));
  return files.sort((one, other) => weights.get(other) - weights.get(one));
}

/** Writes the queue and one module per process, which test/share.ts runs; returns the modules. */
function writeShares(folder, queue) {
  writeFileSync(join(folder, "files.json"), JSON.stringify(queue));
  const share = pathToFileURL(join(root, "test/share.ts")).href;
  const text = `import { runShare } from "${share}";\nrunShare(${filesPerProcess});\n`;
  const fewest = Math.min(queue.length, processes);
  const length = Math.max(Math.ceil(queue.length / filesPerProcess), fewest);
  return Array.from({ length }, (_, index) => {
    const file = join(folder, `share-${index}.mjs`);
    writeFileSync(file, text);
    return file;
  });
}

const tsc = "node_modules/typescript/bin/tsc";
const biome = "node_modules/@biomejs/biome/bin/biome";

/** Runs the checks at the same time, and prints each one's output in one piece. */
async function check() {
  const steps = [
    [node, tsc, "-p", "."],
    [node, biome, "check", "--error-on-warnings", "."],
    [node, "scripts/imports.ts"],
    [node, "scripts/tables.ts"],
    [node, "scripts/migrations.ts"],
    [node, "scripts/sources.ts"],
    [node, "scripts/tidy.ts"],
    [node, "scripts/expressions.ts"],
    [node, "scripts/unknown-texts.ts"],
    [node, "scripts/node-releases.ts"],
    [node, "scripts/descriptions.ts"],
  ];
  const codes = await Promise.all(steps.map(runQuietly));
  return codes.find((code) => code !== 0) ?? 0;
}

/** Runs a program, prints its output when it has ended, and returns its exit code. */
function runQuietly([program, ...args]) {
  const colours = process.stdout.isTTY ? { FORCE_COLOR: "1" } : {};
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...colours },
    });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => output.push(chunk));
    }
    child.on("error", (error) => output.push(Buffer.from(`${program}: ${error.message}\n`)));
    child.on("close", (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}

const [command = "start", ...args] = process.argv.slice(2);
const commands = {
  test: () => test(args),
  check,
  format: () => run(node, [biome, "check", "--write", "."]),
  build: () => run(node, ["scripts/build.ts"]),
  "node-releases": () => run(node, ["scripts/node-releases.ts", "--refresh", ...args]),
  picture: () =>
    run(node, [...testing, "test/pages/readme-picture.test.ts"], {
      ...compileCache,
      ALDGATE_PICTURE: "docs/images/journey.png",
    }),
  bench: () => run(node, ["bench/run.ts", ...args]),
  walk: () => run(node, ["scripts/walk.ts", ...args]),
  soak: () => run(node, ["test/soak/run.ts", ...args]),
  schema: () => run(node, ["scripts/schema.ts", ...args]),
  sbom: () => run(node, ["scripts/sbom.ts"]),
  conformance: () => run(node, ["scripts/conformance.ts", ...args]),
  published: () => run(node, ["scripts/extract-published.ts", ...args]),
  "client-types": () => run(node, ["scripts/client-types.ts"]),
};
// any other command is one of the bank's
const isRunning = !Object.hasOwn(commands, command);
if (!isInstalled(isRunning)) install(isRunning);
const node = isRunning ? takeSuitable() : takePinned();
process.exitCode = await (commands[command]?.() ??
  runBank(node, "src/main.ts", [command, ...args]));
