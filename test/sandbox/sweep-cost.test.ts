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
import { bookPending } from "#test/account-store/change-accounts.ts";
import { addCredits, addMandates, addStatements } from "#test/account-store/stored-facts.ts";
import { addArtifacts, addJourneys, addTokens } from "#test/auth/stored-rows.ts";
import { addConsents } from "#test/consents/add-consents.ts";
import { addIdempotencyKeys, addOrders } from "#test/payments/add-orders.ts";
import { insertAccounts } from "#test/payments/execution/orders.ts";

// With one connection, the server's counts are complete. Counts of other connections come seconds
// later.

const rows = 1_500;
const at = (text: string) => Temporal.Instant.from(text);
const now = at("2026-11-21T10:00:00Z");

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
  const numbers = sql`generate_series(1, ${rows}::integer) as n`;
  const each = <Row>(make: (number: number) => Row): Row[] =>
    Array.from({ length: rows }, (_, index) => make(index + 1));
  const accountIds = each((n) => `account-${n}`);
  const [booked, pending] = [at("2026-08-03T10:00:00Z"), at("2026-11-23T10:00:00Z")];
  await addCredits(database, accountIds, { status: "Booked", from: booked });
  await addCredits(database, accountIds, { status: "Pending", from: pending });
  const clientId = "tpp";
  const its = { clientId, kind: "domestic-payment" as const, at: now };
  await addConsents(database, [
    ...each((n) => ({ ...its, consentId: `waiting-${n}`, status: "AWAU", waits: true })),
    ...each((n) => ({ ...its, consentId: `used-${n}`, status: "COND" })),
  ]);
  const unsigned = { ...its, customerId: "ann", status: "PATC", waits: true, signableUntil: later };
  await addOrders(
    database,
    each((n) => ({
      ...unsigned,
      orderId: `order-${n}`,
      consentId: `used-${n}`,
      debtorAccountId: `account-${n}`,
    })),
  );
  await addTokens(
    database,
    each(() => ({ clientId, scope: "payments", expiresAt: later })),
  );
  await addArtifacts(
    database,
    each((n) => ({ model: "Grant", id: `${n}`, expiresAt: later })),
  );
  await addJourneys(
    database,
    each((n) => ({
      uid: `${n}`,
      consentId: `waiting-${n}`,
      clientId,
      step: n % 2 === 0 ? "login" : "ended",
      outcome: n % 2 === 1 ? "cancelled" : null,
      createdAt: now,
      expiresAt: later,
    })),
  );
  const keys = each((n) => `${n}`);
  await addIdempotencyKeys(database, { clientId, operation: "post", keys, at: now });
  await addMandates(
    database,
    each((n) => ({ id: `${n}`, accountId: `account-${n}` })),
    now,
  );
  await database.query(sql`
    insert into sandbox_mandate (direct_debit_id, creditor_account_id, day_of_month, least_minor,
      most_minor, next_on, due_at)
    select n::text, 'internal-direct-debits', 1, 1, 1, '2026-12-01', ${later} from ${numbers}`);
  await database.query(sql`
    insert into sandbox_income (income_id, account_id, source_account_id, frequency, day_of_month,
      comes_before, time_of_day, least_minor, most_minor, transaction_type, information, next_on,
      due_at)
    select n::text, 'account-' || n, 'internal-payroll', 'Monthly', 1, true, '09:00', 1, 1,
      'salary', 'Wages', '2026-12-01', ${later} from ${numbers}`);
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

test("a sweep reads the codes that expired within the last hour, not those of a day", async () => {
  const secondsApart = (24 * 3600) / rows;
  const codes = Array.from({ length: rows }, (_, index) => ({
    model: "AuthorizationCode",
    id: `code-${index}`,
    expiresAt: now.subtract({ milliseconds: Math.floor(index * secondsApart * 1000) }),
  }));
  await addArtifacts(database, codes);
  const purge = () => purgeArtifacts(database, { clock, machineClock: clock });
  await purge();
  await database.execute("vacuum analyze oidc_artifact");
  const read = await rowsReadBy(purge);
  assert.ok(read < rows / 5, `${read} rows for ${rows} codes of a day`);
});

test("the sweep of due statements reads only the accounts that are due", async () => {
  const few = 10;
  const ids = Array.from({ length: few }, (_, index) => `account-${index + 1}`);
  const november = { startsAt: at("2026-11-01T00:00:00Z"), endsAt: at("2026-12-01T00:00:00Z") };
  const others = Array.from({ length: rows - few }, (_, index) => `account-${few + index + 1}`);
  await addStatements(
    database,
    others.map((accountId) => ({
      ...november,
      accountId,
      statementId: accountId,
      number: 4,
      createdAt: now,
    })),
  );
  await database.query(sql`
    update sandbox_statement_due set due_at = '2027-01-01T06:00:00Z'
    where account_id <> all(${ids}::text[])`);
  for (const id of ids) await bookPending(database, id);
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
