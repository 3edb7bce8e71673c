import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { advanceJourney } from "#src/auth/journey/journey-row.ts";
import { setStatus } from "#src/consents/set-status.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { addClient } from "#test/clients/add-client.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";

const now = Temporal.Instant.from("2026-11-21T10:00:00Z");

let database: Database;
before(async () => {
  database = await openEmpty();
  await addClient(database, "tpp", { name: "A TPP" });
  await database.query(sql`
    insert into consent (consent_id, kind, api_version, client_id, status, created_at,
      status_updated_at, body)
    values ('one', 'domestic-payment', 'pisp-v4.0', 'tpp', 'AUTH', ${now}, ${now}, '{}')`);
  await database.query(sql`
    insert into journey (uid, consent_id, client_id, software_name, step, created_at, expires_at)
    values ('one', 'one', 'tpp', 'TPP', 'login', ${now}, ${now})`);
});
after(() => database?.close());

const updates: Record<string, { table: string; run(on: Queryable): Promise<unknown> }> = {
  "the use of a payment consent": {
    table: "consent",
    run: (on) =>
      on.query(sql`update consent set ${setStatus("COND", "ended")}, status_updated_at = ${now}
        where consent_id = 'one'`),
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
