// The test lanes of `npm test`, and the test files that its arguments name.
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { compileCache, root, run } from "./launch.mjs";

// the oldest versions of Node that may run this file lack matchesGlob
const { join, matchesGlob, relative } = path;

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

const processes = 3;
const testing = ["--test", `--test-concurrency=${processes}`, "--test-global-setup=test/setup.ts"];

/** Runs what the arguments name: test files, or whatever Node's test runner makes of them. */
export function runNamed(node, args) {
  const named = findNamed(args);
  if (named.length < 2) return run(node, [...testing, ...args], compileCache);
  const database = process.env.ALDGATE_TEST_DATABASE ?? "pglite";
  return runFiles(node, named, { database, maySkip: true }).then(({ code }) => code);
}

/** Runs all lanes, and returns the exit code. A failure does not hide what the next lanes find. */
export async function runAll(node) {
  const unsteady = [];
  let worst = 0;
  for (const lane of lanes) {
    console.log(`\n— tests ${lane.name} —`);
    const { code, isComplete, again } = await runTwice(node, lane.files(), lane);
    unsteady.push(...again);
    worst = worst || code;
    if (!isComplete) break;
  }
  if (unsteady.length > 0) console.error(`\n${unsteadyTitle}\n${unsteady.join("\n")}`);
  return worst;
}

const unsteadyTitle =
  "These test files failed, and passed when they ran again. Each has a fault, or its tests have: " +
  "find it.";

// more files than this do not fail by chance
const mostAgain = 3;

/**
 * Runs test files, and those that failed once more: an hour's run should not end with one test of
 * ten thousand that a busy machine has delayed. Lists the files that passed only then.
 */
export async function runTwice(node, files, lane) {
  const first = await runFiles(node, files, lane);
  const { code, failed, isComplete, isWhole } = first;
  const isAgain = code !== 0 && isWhole && failed.length > 0 && failed.length <= mostAgain;
  if (!isAgain) return { code, isComplete, again: [] };
  console.error(`\nThese test files failed, and run again:\n${failed.join("\n")}`);
  const second = await runFiles(node, failed, lane);
  return { ...second, again: second.code === 0 ? failed : [] };
}

// Loading the bank's modules and compiling the database cost more than the tests of most files, so a
// process runs at least ten files. The last processes find no file left, and end.
const filesPerProcess = 10;

/**
 * Runs test files in one lane. Returns the exit code, the files that failed, whether all files ran to
 * their end, and whether nothing but their tests failed.
 */
async function runFiles(node, files, { database, bank = "module", maySkip }) {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-lane-"));
  const results = join(folder, "results");
  const reporters = [
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    "--test-reporter=./scripts/lane-results.mjs",
    `--test-reporter-destination=${results}`,
  ];
  const queue = longFirst(files);
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
  const ended = text === "" ? none : JSON.parse(text);
  rmSync(folder, { recursive: true, force: true });
  printSlowest(ended.files);
  const { failed, broken } = ended;
  const isComplete = unfinished.length === 0 && text !== "";
  if (unfinished.length > 0) {
    console.error(`These test files did not run to their end:\n${unfinished.join("\n")}`);
    return { code: code || 1, failed, isComplete, isWhole: false };
  }
  const isWhole = isComplete && broken.length === 0;
  if (maySkip || ended.skipped.length === 0) return { code, failed, isComplete, isWhole };
  console.error(
    `These tests were skipped, but must run in this lane:\n${ended.skipped.join("\n")}`,
  );
  return { code: code || 1, failed, isComplete, isWhole: false };
}

const none = { skipped: [], files: [], failed: [], broken: [] };

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
