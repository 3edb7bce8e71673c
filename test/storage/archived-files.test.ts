import assert from "node:assert/strict";
import { test } from "node:test";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { copySeeded } from "#test/harness.ts";

test("a copy of an archived database keeps its writes from other copies", async (t) => {
  const open = async () => {
    const database = await copySeeded();
    t.after(() => database.close());
    return database;
  };
  const count = sql`select count(*)::int as "accounts" from account`;
  const [written, other] = [await open(), await open()];
  const before = await first<{ accounts: number }>(other, count);
  await written.execute("drop table account cascade; checkpoint");
  await assert.rejects(first(written, count), /account/);
  assert.deepEqual(await first(other, count), before);
  assert.deepEqual(await first(await open(), count), before);
  assert.notDeepEqual(before, { accounts: 0 });
});
