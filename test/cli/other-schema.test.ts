import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { startCommand } from "./running-bank.ts";

test("a folder of another schema that was never filled is refused without a stack trace", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aldgate-other-"));
  try {
    const database = await openPglite({ folder: join(folder, "database") });
    await migrate(database, { migrations: [{ name: "0001_core", text: "select 1" }] });
    await database.close();
    const ports = { PUBLIC_PORT: "0", MTLS_PORT: "0", MANAGEMENT_PORT: "0" };
    const bank = startCommand(["start"], { ALDGATE_DATA: folder, ...ports });
    assert.equal(await bank.ended, 1, bank.said());
    assert.match(bank.said(), /this version has no migration 0001_core/);
    assert.ok(bank.said().includes(`ALDGATE_DATA=${folder}-2 npm start`), bank.said());
    assert.doesNotMatch(bank.said(), /at .*\.ts:\d+/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
