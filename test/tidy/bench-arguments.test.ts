import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  benchmarks,
  comparisons,
  named as onlyNamed,
  readArguments,
  usage,
} from "#bench/lib/arguments.ts";

test("the usage of `npm run bench` and docs/performance.md list every file of bench/", () => {
  const files = readdirSync(new URL("../../bench/", import.meta.url))
    .filter((name) => name.endsWith(".ts") && name !== "run.ts")
    .map((name) => name.slice(0, -".ts".length));
  const listed = [...benchmarks, ...onlyNamed, ...comparisons.map((name) => `${name}=COMMIT`)];
  assert.deepEqual(listed.map((name) => name.split("=")[0]).sort(), files.sort());
  for (const name of listed) assert.ok(usage.includes(`\n  ${name}`), name);
  const page = readFileSync(new URL("../../docs/performance.md", import.meta.url), "utf8");
  const documented = [...page.matchAll(/^\| `([a-z-]+(?:=COMMIT)?)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(documented.sort(), listed.sort());
});

test("`npm run bench` runs the named benchmarks, or all of them if none is named", () => {
  const named = ["signing", ...onlyNamed, ...comparisons.map((name) => `${name}=c130671`)];
  assert.deepEqual(readArguments([...named, "--quick"]), { does: "run", names: named });
  assert.deepEqual(readArguments(["--quick"]), { does: "run", names: benchmarks });
  assert.deepEqual(readArguments(["feed=5000000"]), { does: "run", names: ["feed=5000000"] });
  assert.deepEqual(readArguments([]), { does: "run", names: benchmarks });
});

test("`npm run bench` prints its usage if it is asked to", () => {
  for (const option of ["--help", "-h"]) {
    assert.deepEqual(readArguments(["signing", option]), { does: "help" });
  }
});

test("`npm run bench` refuses unknown options and benchmarks, and prints its usage", () => {
  for (const [given, what] of [
    ["--slow", "option --slow"],
    ["-q", "option -q"],
    ["--quick=1", "option --quick=1"],
    ["speed", "benchmark speed"],
    ["feed=all", "benchmark feed=all"],
    ["signing=5", "benchmark signing=5"],
    ["journeys-against", "benchmark journeys-against"],
    ["journeys-against=", "benchmark journeys-against="],
    ["orders-against=-q", "benchmark orders-against=-q"],
    ["pages-against", "benchmark pages-against"],
  ] as const) {
    const message = `There is no ${what}. Use one of these:\n\n${usage}`;
    assert.deepEqual(readArguments(["signing", given]), { does: "refuse", message });
  }
});

test("a benchmark prints no report of a test run, although it uses parts of the tests", () => {
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  const used = globSync("bench/**/*.ts", { cwd }).flatMap((file) =>
    [...readFileSync(`${cwd}${file}`, "utf8").matchAll(/from "(#test\/[^"]+)"/g)].map(([, name]) =>
      JSON.stringify(name),
    ),
  );
  assert.ok(used.length > 10);
  const text = [...new Set(used)].map((name) => `await import(${name});`).join("\n");
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ["--input-type=module", "--eval", text];
  const done = spawnSync(process.execPath, args, { cwd, env, encoding: "utf8" });
  assert.deepEqual([done.status, done.stdout], [0, ""], done.stderr);
});
