import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { advanceJourney } from "#src/auth/journey/journey-row.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { addJourneys } from "#test/auth/stored-rows.ts";
import { addClient } from "#test/clients/add-client.ts";
import { addConsents } from "#test/consents/add-consents.ts";
import { consume } from "#test/consents/stored-rows.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";

const now = Temporal.Instant.from("2026-11-21T10:00:00Z");

let database: Database;
before(async () => {
  database = await openEmpty();
  await addClient(database, "tpp", { name: "A TPP" });
  const its = { consentId: "one", clientId: "tpp" };
  await addConsents(database, [{ ...its, kind: "domestic-payment", status: "AUTH", at: now }]);
  await addJourneys(database, [
    { ...its, uid: "one", step: "login", createdAt: now, expiresAt: now },
  ]);
});
after(() => database?.close());

const updates: Record<string, { table: string; run(on: Queryable): Promise<unknown> }> = {
  "the use of a payment consent": {
    table: "consent",
    run: (on) => on.query(consume("one", now)),
  },
  "the next step of a journey": {
    table: "journey",
    run: (on) =>
      advanceJourney(
        on,
        { uid: "one", step: "login" },
        {
          to: "factor",
          facts: { customerId: "ann" },
          expiresAt: now.add({ minutes: 15 }),
          later: [],
        },
      ),
  },
};

for (const [name, { table, run }] of Object.entries(updates)) {
  test(`${name} changes no index entries`, async () => {
    const rows = await database.transaction(async (on) => {
      await run(on);
      return on.query(sql`
        select pg_stat_get_xact_tuples_updated(${table}::text::regclass)::integer as updated,
          pg_stat_get_xact_tuples_hot_updated(${table}::text::regclass)::integer as "inPlace"`);
    });
    assert.deepEqual(rows, [{ updated: 1, inPlace: 1 }]);
  });
}
