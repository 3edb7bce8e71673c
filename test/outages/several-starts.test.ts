import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type BankProcess, startBank } from "#test/attacks/bank-process.ts";
import { onPostgres, startPostgres } from "#test/postgres.ts";
import { templateName } from "#test/setup.ts";

const skip = onPostgres ? false : "needs a PostgreSQL server, which several processes can use";

test("five banks that start at the same time on one data folder and database all open", {
  skip,
}, async () => {
  const server = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), "aldgate-starts-"));
  const name = `starts_${randomUUID().replaceAll("-", "")}`;
  const DATABASE_URL = await server.createDatabase(name, templateName);
  const starts = Array.from({ length: 5 }, () => startBank(folder, { DATABASE_URL }));
  const banks: BankProcess[] = [];
  try {
    const results = await Promise.allSettled(starts);
    for (const result of results) if (result.status === "fulfilled") banks.push(result.value);
    const faults = results.flatMap((one) => (one.status === "rejected" ? [`${one.reason}`] : []));
    assert.deepEqual(faults, []);
    for (const { publicUrl } of banks) {
      assert.equal((await fetch(`${publicUrl}/health/ready`)).status, 200);
    }
  } finally {
    await Promise.all(banks.map((bank) => bank.kill()));
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
