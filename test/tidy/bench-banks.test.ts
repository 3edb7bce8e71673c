import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBenchBank, openSeededBank } from "#bench/lib/bank.ts";
import { startPostgres, type TestPostgres } from "#test/postgres.ts";

// The benchmarks of one run copy a bank that the first of them has seeded.

const { BENCH_SEEDED_DATABASE: database, BENCH_SEEDED_FOLDER: folder } = process.env;
const seeded = mkdtempSync(join(tmpdir(), "aldgate-bench-test-"));
let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
  const url = await postgres.createDatabase("bench_seeded");
  await (await openBenchBank(url, { kept: join(seeded, "server") })).close();
  process.env.BENCH_SEEDED_DATABASE = "bench_seeded";
  process.env.BENCH_SEEDED_FOLDER = seeded;
});
after(async () => {
  const before = { BENCH_SEEDED_DATABASE: database, BENCH_SEEDED_FOLDER: folder };
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  rmSync(seeded, { recursive: true, force: true });
  await postgres?.stop();
});

test("a copy of a benchmark's bank has its keys, so it logs no error", async () => {
  await (await openSeededBank("copy", postgres)).close();
});

test("a benchmark fails if its bank logs an error, such as that a signing key cannot be used", async () => {
  const bank = await openBenchBank(await postgres.createDatabase("bench_bare", "bench_seeded"));
  await assert.rejects(bank.close(), /logged an error: .*a signing key cannot be used/);
});
