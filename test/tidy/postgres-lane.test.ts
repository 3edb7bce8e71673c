import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import longest from "#test/longest-files.json" with { type: "json" };
import needs from "#test/postgres-lane.json" with { type: "json" };

const folder = new URL("../", import.meta.url);

const known = new Set([
  "concurrency",
  "constraints",
  "crash",
  "journey",
  "plans",
  "time-outs",
  "walk",
]);

const listed = new Map(Object.entries(needs));

test("every file of the PostgreSQL lane exists and names a known need", () => {
  for (const [file, need] of listed) {
    assert.ok(existsSync(new URL(file, folder)), `${file} is missing`);
    assert.ok(known.has(need), `${file}: ${need}`);
  }
});

test("every file in longest-files.json exists", () => {
  const missing = longest.filter((file) => !existsSync(new URL(file, folder)));
  assert.deepEqual(missing, []);
});

test("every file with tests that are skipped on the embedded database is in the PostgreSQL lane", () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const missing = files
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".test.ts") && !listed.has(file))
    .filter((file) =>
      /\b(onPostgres|oneConnection|skipTwin)\b/.test(readFileSync(new URL(file, folder), "utf8")),
    );
  // a simulation has an embedded database of its own in both lanes
  const others = [
    "simulation/simulated-server.test.ts",
    "simulation/simulation.test.ts",
    "tidy/postgres-lane.test.ts",
  ];
  assert.deepEqual(
    missing.filter((file) => !others.includes(file)),
    [],
  );
});

// patterns of a loop over all rows of a list, with a test in the loop
const testsPerRow: Record<string, RegExp> = {
  journey:
    /for \(const kind of paymentKinds(?:\.flatMap\(\w+\))?\) \{\n(?:.*\n)?\s+test\(`\$\{kind\.id\}/,
  walk: /for \(const row of served\) \{\n\s+test\(`.*\$\{row\.path\}/,
};
for (const [need, perRow] of Object.entries(testsPerRow)) {
  test(`the PostgreSQL lane has a file with a ${need} per row`, () => {
    const files = [...listed].filter(([, one]) => one === need).map(([file]) => file);
    const found = files.filter((file) => perRow.test(readFileSync(new URL(file, folder), "utf8")));
    assert.notDeepEqual(found, [], `one of ${files.join(", ")}`);
  });
}
