import assert from "node:assert/strict";
import { test } from "node:test";
import { countAccounts } from "#test/account-store/stored-facts.ts";
import { copySeeded } from "#test/harness.ts";

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
