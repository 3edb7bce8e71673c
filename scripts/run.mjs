// Runs on any Node from version 20 and needs no installation: it installs what is missing, then
// starts the pinned Node. Usage: node scripts/run.mjs
// <test|check|format|bench|walk|soak|schema|conformance|published|client-types> [arguments],
// or any command of the CLI
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import * as path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

// the oldest versions of Node that may run this file lack matchesGlob
const { dirname, join, matchesGlob, relative } = path;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, "node_modules", ".bin");
const node = join(bin, "node");
const marker = join(root, "node_modules", ".aldgate-install");

/**
 * The test lanes. Every file runs on the embedded database. Files that need a PostgreSQL server,
 * because one connection cannot show what they test, run on PostgreSQL too: test/postgres-lane.json
 * lists them with the reason. No test may be skipped there.
 */
const needs = JSON.parse(readFileSync(join(root, "test/postgres-lane.json"), "utf8"));
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
];

function wantedInstall() {
  const lock = readFileSync(join(root, "package-lock.json"));
  return createHash("sha256").update(lock).update(process.platform).digest("hex");
}

function isInstalled(isRunning) {
  if (!existsSync(node)) return false;
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
    ([place, { version, dev, optional, devOptional, peer }]) =>
      place === "" ||
      dev ||
      optional ||
      devOptional ||
      (peer && isBank) ||
      installed[place]?.version === version,
  );
}

function install(isRunning) {
  console.error("Installing what Aldgate needs (once, about half a minute) …");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  // the pinned Node is an optional package per platform; npm installs the one for this platform
  const args = ["ci", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  // tests and checks need the development packages, a running bank does not; a bank in production
  // does not need the peer dependencies either, which are the sandbox's
  if (isRunning) args.push("--omit=dev");
  if (isRunning && isProduction()) args.push("--omit=peer");
  const done = spawnSync(npm, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  if (done.status !== 0) {
    console.error(
      "\nThe installation failed: see npm's message above. Check that your npm registry is " +
        "reachable, and run the same command again.",
    );
    process.exit(1);
  }
  // npm continues without an optional package that it cannot load, or whose hash is not in the lock
  if (!existsSync(node)) {
    console.error(
      `\nThe pinned Node for ${process.platform}-${process.arch} is not installed. package.json lists ` +
        "the supported platforms under optionalDependencies. If yours is listed, npm could not " +
        "download the package, or its hash differs from package-lock.json. Run the same command " +
        "again. If it fails again, see npm's log.",
    );
    process.exit(1);
  }
  if (!isRunning) writeFileSync(marker, wantedInstall());
}

/** Runs a program in this terminal, passes signals on, and returns its exit code. */
function run(program, args, environment = {}, folder = root) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: folder,
      stdio: "inherit",
      env: {
        ...process.env,
        ...environment,
        PATH: `${bin}:${process.env.PATH ?? ""}`,
      },
    });
    // the terminal sends its signals to the child too, so only signals sent to this process are
    // passed on
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
      process.on(signal, () => {
        if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
      });
    }
    child.on("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 143)));
    endWithNpm(child);
  });
}

/**
 * Ends the child when npm has ended. npm passes a signal only to the shell between it and this
 * process, and the shell ends without passing it on.
 */
function endWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) child.kill("SIGTERM");
  }, 500);
  child.on("exit", () => clearInterval(timer));
}

// modules load faster from a cache of compiled code, above all in processes that tests start
const compileCache = { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "aldgate") };
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

// Loading the bank's modules and compiling the database cost as much as the tests of a file, so a
// process runs several files. It ends after ten, because tests leak memory.
const filesPerProcess = 10;

async function runLane({ database, files, maySkip }) {
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

/** Runs the checks at the same time, and prints each one's output in one piece. */
async function check() {
  const steps = [
    [join(bin, "tsc"), "-p", "."],
    [join(bin, "biome"), "check", "--error-on-warnings", "."],
    [node, "scripts/imports.ts"],
    [node, "scripts/tables.ts"],
    [node, "scripts/migrations.ts"],
    [node, "scripts/sources.ts"],
    [node, "scripts/tidy.ts"],
    [node, "scripts/expressions.ts"],
    [node, "scripts/unknown-texts.ts"],
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
  format: () => run(join(bin, "biome"), ["check", "--write", "."]),
  bench: () => run(node, ["bench/run.ts", ...args]),
  walk: () => run(node, ["scripts/walk.ts", ...args]),
  soak: () => run(node, ["test/soak/run.ts", ...args]),
  schema: () => run(node, ["scripts/schema.ts", ...args]),
  conformance: () => run(node, ["scripts/conformance.ts", ...args]),
  published: () => run(node, ["scripts/extract-published.ts", ...args]),
  "client-types": () => run(node, ["scripts/client-types.ts"]),
};
// any other command is one of the bank's
const isRunning = !Object.hasOwn(commands, command);
if (!isInstalled(isRunning)) install(isRunning);
// These options keep the bank below 300 MB: a small young generation, an old generation that is
// collected when it has grown by 40%, and a malloc with two arenas instead of one per thread, which
// returns free memory. On a PostgreSQL server, the database's memory is not the bank's. There the
// young generation may be as large as what concurrent requests allocate; otherwise their objects
// are copied for nothing. A compile cache that exists before the first module saves memory too,
// because node then does not load its TypeScript compiler. There are as many signing threads as
// cores: more would only delay the main thread, fewer would leave cores idle. docs/performance.md
// has the measurements.
const nodeOptions = JSON.parse(readFileSync(join(root, "scripts/node-options.json"), "utf8"));
const environment = {
  UV_THREADPOOL_SIZE: String(availableParallelism()),
  ...compileCache,
  ...nodeOptions.environment,
  ...process.env,
};
const young = process.env.DATABASE_URL ? nodeOptions.server : nodeOptions.embedded;
const main = [...young, join(root, "src/main.ts"), command, ...args];
// other commands resolve folders from the caller's directory
process.exitCode = await (commands[command]?.() ?? run(node, main, environment, process.cwd()));
