import assert from "node:assert/strict";
import { test } from "node:test";
import { ArchivedFiles, snapshot } from "#src/storage/archived-files.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { sql } from "#src/storage/sql.ts";
import { countAccounts } from "#test/account-store/stored-facts.ts";
import { copySeeded } from "#test/harness.ts";
import { archiveFile } from "#test/setup.ts";

test("a copy of an archived database keeps its writes from other copies", async (t) => {
  const open = async () => {
    const database = await copySeeded();
    t.after(() => database.close());
    return database;
  };
  const [written, other] = [await open(), await open()];
  const before = await countAccounts(other);
  await written.execute("drop table account cascade; checkpoint");
  await assert.rejects(countAccounts(written), /account/);
  assert.equal(await countAccounts(other), before);
  assert.equal(await countAccounts(await open()), before);
  assert.notEqual(before, 0);
});

test("a snapshot of a database stays as it was, whatever is written to it and to its copies", async (t) => {
  const open = async (files: ConstructorParameters<typeof ArchivedFiles>[0]) => {
    const database = await openPglite({ files: new ArchivedFiles(files) });
    t.after(() => database.close());
    return database;
  };
  const original = await open(archiveFile("seeded"));
  await original.execute("create table noted (number integer); insert into noted values (1)");
  const kept = await snapshot(original.engine);
  await original.execute("insert into noted values (2); drop table account cascade; checkpoint");

  const copy = await open(kept);
  const noted = sql`select number from noted order by number`;
  assert.deepEqual(await copy.query(noted), [{ number: 1 }]);
  assert.notEqual(await countAccounts(copy), 0);
  await copy.execute("update noted set number = 3; drop table account cascade; checkpoint");
  const again = await snapshot(copy.engine);

  const [first, second] = [await open(kept), await open(again)];
  assert.deepEqual(await first.query(noted), [{ number: 1 }]);
  assert.notEqual(await countAccounts(first), 0);
  assert.deepEqual(await second.query(noted), [{ number: 3 }]);
});
