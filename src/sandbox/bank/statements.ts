import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

// Accounts per transaction: few enough not to hold locks for long.
const sliceSize = 200;

type Due = { accountId: string; dueAt: Temporal.Instant };

/**
 * Makes the statements of the months that have ended, each once; returns how many. It reads only
 * the accounts that are due and works them off in slices, one process at a time. Everything that
 * belongs to those months must have been booked.
 */
export async function makeDueStatements(
  database: Database,
  now: Temporal.Instant,
): Promise<number> {
  let made = 0;
  let after: Due | undefined;
  for (;;) {
    const slice = await dueAfter(database, now, after);
    after = slice.at(-1);
    if (!after) return made;
    made += await makeStatements(
      database,
      now,
      slice.map(({ accountId }) => accountId),
    );
  }
}

// An account whose month waits for a pending line stays due: a pass looks at each account once.
const dueAfter = (database: Database, now: Temporal.Instant, after: Due | undefined) =>
  database.query<Due>(sql`
    select account_id as "accountId", statement_due_at as "dueAt" from account
    where statement_due_at <= ${now}
      and (statement_due_at, account_id)
        > (${after?.dueAt ?? "-infinity"}::timestamptz, ${after?.accountId ?? ""}::text)
    order by statement_due_at, account_id limit ${sliceSize}`);

async function makeStatements(
  database: Database,
  now: Temporal.Instant,
  accountIds: readonly string[],
): Promise<number> {
  return database.transaction(async (on) => {
    await on.query(sql`select pg_advisory_xact_lock(704213)`);
    const row = await first<{ made: number }>(
      on,
      sql`select make_statements(${now}, ${accountIds}::text[]) as made`,
    );
    return row?.made ?? 0;
  });
}
