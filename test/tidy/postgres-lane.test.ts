import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { paymentKinds } from "#src/payments/kinds/payment-kinds.ts";
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

test("every file with tests that are skipped on the embedded database is in the PostgreSQL lane", () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const missing = files
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".test.ts") && !listed.has(file))
    .filter((file) =>
      /\b(onPostgres|oneConnection)\b/.test(readFileSync(new URL(file, folder), "utf8")),
    );
  assert.deepEqual(
    missing.filter((file) => file !== "tidy/postgres-lane.test.ts"),
    [],
  );
});

test("the PostgreSQL lane makes a journey for each payment kind, and walks the account resources", () => {
  const journeys = [...listed].filter(([, need]) => need === "journey").map(([file]) => file);
  const text = journeys.map((file) => readFileSync(new URL(file, folder), "utf8")).join("\n");
  for (const { id } of paymentKinds)
    assert.ok(text.includes("paymentKinds") || text.includes(id), id);
  assert.ok([...listed.values()].includes("walk"));
});
