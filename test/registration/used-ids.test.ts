import assert from "node:assert/strict";
import { test } from "node:test";
import { purgeUsedIds } from "#src/registration/store-registration.ts";
import { sql } from "#src/storage/sql.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";

test("used ids are deleted when they have expired, and those of software statements without an expiry", async () => {
  const database = await openEmpty();
  const now = Temporal.Instant.from("2026-11-30T10:00:00Z");
  try {
    await database.query(sql`
      insert into registration_jti (use, issuer, jti, expires_at)
      values ('request', 's', 'over', ${now}), ('statement', 'd', 'never', null),
        ('request', 's', 'open', ${now.add({ seconds: 1 })})`);
    await purgeUsedIds(database, now);
    const left = await database.query(sql`select jti from registration_jti`);
    assert.deepEqual(left, [{ jti: "open" }]);
  } finally {
    await database.close();
  }
});
