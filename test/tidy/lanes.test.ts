import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const lanes = pathToFileURL(join(root, "scripts/lanes.mjs")).href;
const folder = mkdtempSync(join(tmpdir(), "aldgate-lanes-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a test file whose test runs this code. */
function write(name: string, code: string): string {
  const file = join(folder, `${name}.test.ts`);
  const imports = 'import { existsSync, writeFileSync } from "node:fs";\n';
  writeFileSync(file, `${imports}import { test } from "node:test";\ntest("one", () => {${code}});`);
  return relative(root, file);
}

/** A file whose test fails when it runs for the first time. */
function unsteady(name: string): string {
  const mark = JSON.stringify(join(folder, `${name}.mark`));
  const fail = `writeFileSync(${mark}, ""); throw new Error("by chance");`;
  return write(name, `if (!existsSync(${mark})) { ${fail} }`);
}

type Outcome = { code: number; isComplete: boolean; again: string[] };

/** Runs the files as `npm test` does, outside the runner of this test. */
function runLane(files: string[]): Outcome {
  const lane = { database: "pglite", maySkip: true };
  const given = [process.execPath, files, lane].map((one) => JSON.stringify(one)).join(", ");
  const script =
    `const { runTwice } = await import(${JSON.stringify(lanes)});` +
    `console.log("\\noutcome " + JSON.stringify(await runTwice(${given})));`;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ["--input-type=module", "--eval", script];
  const { stdout } = spawnSync(process.execPath, args, { env, cwd: root, encoding: "utf8" });
  const line = stdout.split("\n").findLast((one) => one.startsWith("outcome "));
  return JSON.parse(line?.slice("outcome ".length) ?? "null") as Outcome;
}

test("a test file that fails once runs again, and is named", () => {
  const files = [write("steady", ""), unsteady("unsteady")];
  const { code, again } = runLane(files);
  assert.equal(code, 0);
  assert.deepEqual(again, files.slice(1));
});

test("a test file that fails twice fails the lane", () => {
  const { code, isComplete, again } = runLane([write("wrong", 'throw new Error("always");')]);
  assert.notEqual(code, 0);
  assert.equal(isComplete, true);
  assert.deepEqual(again, []);
});

test("if more files fail than do by chance, none runs again", () => {
  const files = ["a", "b", "c", "d"].map(unsteady);
  const { code, again } = runLane(files);
  assert.notEqual(code, 0);
  assert.deepEqual(again, []);
});

test("a process that fails although its tests passed fails the lane", () => {
  const { code, again } = runLane([write("leaves", "setTimeout(() => process.exit(3), 50);")]);
  assert.notEqual(code, 0);
  assert.deepEqual(again, []);
});
