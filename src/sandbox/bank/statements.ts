import type { StatementFact, Versioned } from "#src/account-store/facts.ts";
import { applyChanges } from "#src/account-store/feed.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

// Accounts per transaction: few, so that locks are short.
const sliceSize = 200;

type Due = { accountId: string; dueAt: Temporal.Instant };

/**
 * Makes the statements of all months that have ended, each once, and returns how many. It reads
 * only the accounts that are due, in slices, and only one process does so at a time. All
 * transactions of those months must have been booked before.
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

// An account stays due if its month has a pending transaction, so a pass visits each account once.
const dueAfter = (database: Database, now: Temporal.Instant, after: Due | undefined) =>
  database.query<Due>(sql`
    select account_id as "accountId", due_at as "dueAt" from sandbox_statement_due
    where due_at <= ${now}
      and (due_at, account_id)
        > (${after?.dueAt ?? "-infinity"}::timestamptz, ${after?.accountId ?? ""}::text)
    order by due_at, account_id limit ${sliceSize}`);

/** Makes the due statements of the given accounts, each once. Returns how many. */
export async function makeStatements(
  database: Database,
  now: Temporal.Instant,
  accountIds: readonly string[],
): Promise<number> {
  return database.transaction(async (on) => {
    await lockStatements(on);
    await removeInterim(on, accountIds, startOfMonth(now));
    const rows = await on.query<{ statement: DueStatement }>(
      sql`select statement from sandbox_statements(${now}, ${accountIds}::text[])`,
    );
    await applyChanges(on, { statements: rows.map(({ statement }) => toFact(statement)) });
    await on.query(sql`select sandbox_next_statement(${now}, ${accountIds}::text[])`);
    return rows.length;
  });
}

/** Lets one transaction at a time make statements. */
export const lockStatements = (on: Queryable): Promise<unknown> =>
  on.query(sql`select pg_advisory_xact_lock(704213)`);

/** Removes the statements that testers have made in the middle of a month, up to a time. */
export async function removeInterim(
  on: Queryable,
  accountIds: readonly string[],
  until: Temporal.Instant,
): Promise<void> {
  const statements = await on.query<{
    accountId: string;
    statementId: string;
    version: bigint;
  }>(sql`
    select s.account_id as "accountId", s.statement_id as "statementId", s.version + 1 as version
    from account_statement s
    where s.account_id = any(${[...accountIds]}::text[]) and s.ends_at <= ${until}
      and s.ends_at <> date_trunc('month', s.ends_at, 'UTC')`);
  if (statements.length > 0) await applyChanges(on, { removed: { statements } });
}

const startOfMonth = (now: Temporal.Instant): Temporal.Instant =>
  now.toZonedDateTimeISO("UTC").with({ day: 1 }).startOfDay().toInstant();

/** A statement as `sandbox_statements` returns it, with amounts in minor units as text. */
export type DueStatement = Pick<
  StatementFact,
  | "accountId"
  | "statementId"
  | "number"
  | "periodName"
  | "currency"
  | "creditCount"
  | "debitCount"
  | "costs"
  | "rates"
> &
  Record<"startsAt" | "endsAt" | "createdAt", string> &
  Record<"opening" | "closing" | "credits" | "debits" | "limit", string> &
  Record<"minimumPayment" | "paymentDueAt", string | null>;

/** The fact of a statement for the account store. */
export function toFact(due: DueStatement): Versioned<StatementFact> {
  const { startsAt, endsAt, createdAt, paymentDueAt, minimumPayment, ...rest } = due;
  const { opening, closing, credits, debits, limit, ...same } = rest;
  return {
    ...same,
    version: 1n,
    // as the ledger states balances
    currencyKind: due.currency === "GBP" ? null : "Local",
    startsAt: Temporal.Instant.from(startsAt),
    endsAt: Temporal.Instant.from(endsAt),
    createdAt: Temporal.Instant.from(createdAt),
    openingMinor: BigInt(opening),
    closingMinor: BigInt(closing),
    creditsMinor: BigInt(credits),
    debitsMinor: BigInt(debits),
    limitMinor: BigInt(limit),
    minimumPaymentMinor: minimumPayment === null ? null : BigInt(minimumPayment),
    paymentDueAt: paymentDueAt === null ? null : Temporal.Instant.from(paymentDueAt),
  };
}
