import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listOverdueJourneys, purgeJourneys } from "#src/auth/journey/journey-row.ts";
import { purgeArtifacts } from "#src/auth/provider/sql-adapter.ts";
import { sweep } from "#src/payments/execution/engine.ts";
import { makeDueStatements } from "#src/sandbox/bank/statements.ts";
import { createSurroundings } from "#src/sandbox/time/surroundings.ts";
import { type Database, first } from "#src/storage/database.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { sql } from "#src/storage/sql.ts";
import { insertAccounts } from "#test/payments/execution/orders.ts";

// With one connection, the server's counts are complete. Counts of other connections come seconds
// later.

const rows = 1_500;
const now = Temporal.Instant.from("2026-11-21T10:00:00Z");

let database: Database;
before(async () => {
  database = await openPglite({});
  await migrate(database);
  await insertAccounts(database, { accounts: rows, balanceMinor: 100_000n });
  await fill();
  await makeDueStatements(database, now);
  await database.execute("vacuum analyze");
});
after(() => database?.close());

/** Fills each table that a sweep reads with rows that are not due. */
async function fill(): Promise<void> {
  const later = now.add({ hours: 24 });
  const n = sql`generate_series(1, ${rows}::integer) as n`;
  const lines = (day: string, status: string) => sql`
    insert into account_transaction (account_id, booked_at, transaction_id, indicator, status,
      version, amount_minor, currency)
    select 'account-' || n, ${day}::timestamptz + n * interval '1 second',
      ${status} || n, 'Credit', ${status}, 1, 100, 'GBP' from ${n}`;
  await database.query(lines("2026-08-03T10:00:00Z", "Booked"));
  await database.query(lines("2026-11-23T10:00:00Z", "Pending"));
  await database.query(sql`
    insert into consent (api_version,
      consent_id, kind, client_id, status, created_at, status_updated_at, waits_since, body)
    select 'pisp-v4.0',
      'waiting-' || n, 'domestic-payment', 'tpp', 'AWAU', ${now}, ${now}, ${now}, '{}' from ${n}`);
  await database.query(sql`
    insert into consent (api_version,
      consent_id, kind, client_id, status, created_at, status_updated_at, body)
    select 'pisp-v4.0',
      'used-' || n, 'domestic-payment', 'tpp', 'COND', ${now}, ${now}, '{}' from ${n}`);
  await database.query(sql`
    insert into payment_order (api_version, order_id, consent_id, kind, family, client_id,
      customer_id,
      debtor_account_id, status, created_at, status_updated_at, authorisation_status,
      authorisation_expires_at)
    select 'pisp-v4.0',
      'order-' || n, 'used-' || n, 'domestic-payment', 'immediate', 'tpp', 'ann',
      'account-' || n, 'PATC',
      ${now}, ${now}, 'AWAF', ${later} from ${n}`);
  await database.query(sql`
    insert into access_token (token_hash, kind, client_id, scope, expires_at, payload)
    select n::text, 'client_credentials', 'tpp', 'payments', ${later}, '{}' from ${n}`);
  await database.query(sql`
    insert into oidc_artifact (model, id_hash, payload, expires_at)
    select 'Grant', n::text, '{}', ${later} from ${n}`);
  await database.query(sql`
    insert into journey (uid, consent_id, client_id, software_name, step, outcome, created_at,
      expires_at)
    select n::text, 'waiting-' || n, 'tpp', 'TPP',
      case when n % 2 = 0 then 'login' else 'ended' end,
      case when n % 2 = 1 then 'cancelled' end, ${now}, ${later} from ${n}`);
  await database.query(sql`
    insert into idempotency_key (client_id, operation, key, fingerprint, resource_id, created_at)
    select 'tpp', 'post', n::text, '', '', ${now} from ${n}`);
  await database.query(sql`
    insert into direct_debit (direct_debit_id, account_id, mandate_reference, originator_name,
      frequency, status, status_updated_at)
    select n::text, 'account-' || n, 'mandate', 'Water', 'Monthly', 'Active', ${now} from ${n}`);
  await database.query(sql`
    insert into sandbox_mandate (direct_debit_id, creditor_account_id, day_of_month, least_minor,
      most_minor, next_on, due_at)
    select n::text, 'internal-direct-debits', 1, 1, 1, '2026-12-01', ${later} from ${n}`);
  await database.query(sql`
    insert into sandbox_income (income_id, account_id, source_account_id, frequency, day_of_month,
      comes_before, time_of_day, least_minor, most_minor, transaction_type, information, next_on,
      due_at)
    select n::text, 'account-' || n, 'internal-payroll', 'Monthly', 1, true, '09:00', 1, 1,
      'salary', 'Wages', '2026-12-01', ${later} from ${n}`);
}

/** Counts the rows and index entries that the server reads during `work`. */
async function rowsReadBy(work: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    await database.query(sql`select pg_stat_force_next_flush()`);
    const row = await first<{ count: bigint }>(
      database,
      sql`select ((select sum(seq_tup_read) from pg_stat_user_tables)
        + (select sum(idx_tup_read) from pg_stat_user_indexes))::bigint as count`,
    );
    return Number(row?.count);
  };
  const before = await count();
  await work();
  return (await count()) - before;
}

const clock = { now: () => now };
const sweeps: Record<string, () => Promise<unknown>> = {
  statements: () => makeDueStatements(database, now),
  "card purchases, incomes and direct debits": () =>
    createSurroundings(database, clock.now).drain(),
  "the time of the next event": () => createSurroundings(database, clock.now).nextDueAt(),
  "consents, authorisations, files and tokens": () => sweep(database, now, 3600),
  "the authorization server's state": () =>
    purgeArtifacts(database, { clock, machineClock: clock }),
  "journeys that are overdue": () => listOverdueJourneys(database, now, 5),
  "journeys that have ended": () => purgeJourneys(database, now),
};

test("the counter detects a read of a whole table", async () => {
  const all = sql`select count(holder_name) from account`;
  assert.ok((await rowsReadBy(() => database.query(all))) >= rows);
});

for (const [name, run] of Object.entries(sweeps)) {
  test(`a sweep without due rows does not read whole tables: ${name}`, async () => {
    const read = await rowsReadBy(run);
    assert.ok(read < 100, `${read} rows of tables of ${rows}`);
  });
}

test("the sweep of due statements reads only the accounts that are due", async () => {
  const few = 10;
  const ids = Array.from({ length: few }, (_, index) => `account-${index + 1}`);
  await database.query(sql`
    insert into account_statement (account_id, starts_at, ends_at, statement_id, number, created_at,
      currency, opening_minor, closing_minor, credits_minor, debits_minor, credit_count,
      debit_count, limit_minor, costs)
    select account_id, '2026-11-01', '2026-12-01', account_id, 4, ${now}, 'GBP', 0, 0, 0, 0, 0,
      0, 0, '[]'
    from account where account_id <> all(${ids}::text[])`);
  await database.query(sql`
    update sandbox_statement_due set due_at = '2027-01-01T06:00:00Z'
    where account_id <> all(${ids}::text[])`);
  await database.query(sql`
    update account_transaction set status = 'Booked' where account_id = any(${ids}::text[])`);
  await database.execute("vacuum");
  const december = Temporal.Instant.from("2026-12-01T06:00:00Z");
  let made = 0;
  const read = await rowsReadBy(async () => {
    made = await makeDueStatements(database, december);
  });
  assert.equal(made, few);
  assert.ok(read < few * 60, `${read} rows for ${few} accounts`);
  assert.equal(await makeDueStatements(database, december), 0);
});
