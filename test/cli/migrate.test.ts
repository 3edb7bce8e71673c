import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { listMigrations, type Migration, migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { runCommand } from "#test/server/run-command.ts";

const own = listMigrations();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aldgate-migrate-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (line: string) => runCommand(line, { ALDGATE_DATA: folder });

async function apply(migrations: readonly Migration[]): Promise<void> {
  const database = await openPglite({ folder: join(folder, "database") });
  try {
    await migrate(database, { migrations });
  } finally {
    await database.close();
  }
}

describe("migrate with an option changes nothing", () => {
  test("--check says whether the schema is behind, up to date or ahead, also by its exit code", async () => {
    await apply(own.slice(0, -1));
    const last = own.at(-1)?.name ?? "";
    for (const _ of [1, 2]) {
      const behind = await run("migrate --check");
      assert.equal(behind.code, 3, behind.complained);
      assert.match(behind.printed, new RegExp(`is behind .*run \\./aldgate migrate.*\n  ${last}$`));
    }
    assert.equal((await run("migrate")).printed, `applied ${last}`);
    const current = await run("migrate --check");
    assert.deepEqual([current.code, current.printed], [0, "The schema is up to date."]);
    const newer = { name: "9998_newer", text: "create table newer (id text)" };
    await apply([...own, newer]);
    const ahead = await run("migrate --check --json");
    assert.equal(ahead.code, 4);
    assert.deepEqual(JSON.parse(ahead.printed), {
      state: "ahead",
      missing: [],
      newer: [newer.name],
    });
    const contract = `-- Contract: after release 99.0.0.\ndrop table newer`;
    await apply([...own, newer, { name: "9999_contract", text: contract }]);
    const refused = await run("migrate --check");
    assert.equal(refused.code, 1);
    assert.match(refused.complained, /no migration 9999_contract, which needs 99\.0\.0 or later/);
  });
});

describe("migrate --plan", () => {
  test("prints each statement with its lock, and whether an older process survives it", async () => {
    await apply(
      own.slice(
        0,
        own.findIndex(({ name }) => name === "0021_new_codes"),
      ),
    );
    const { code, printed } = await run("migrate --plan");
    assert.equal(code, 0);
    const [first = ""] = printed.split("\n0022_");
    assert.equal(
      first,
      `0021_new_codes
  alter table login_challenge add column new_codes integer not null default 0
    lock on login_challenge: access exclusive, which stops reads and writes
    an older process survives it
  alter table journey drop column new_codes
    lock on journey: access exclusive, which stops reads and writes
    an older process does not survive it: an older process may use the column`,
    );
    const { migrations } = JSON.parse((await run("migrate --plan --json")).printed);
    assert.deepEqual(
      migrations.map(({ name }: { name: string }) => name),
      own.slice(own.findIndex(({ name }) => name === "0021_new_codes")).map(({ name }) => name),
    );
    assert.equal((await run("migrate --check --plan")).code, 2);
  });
});
