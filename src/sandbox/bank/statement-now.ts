import { applyChanges } from "#src/account-store/feed.ts";
import type { Clock } from "#src/lib/clock.ts";
import { newId } from "#src/lib/ids.ts";
import { type Database, first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type DueStatement, lockStatements, removeInterim, toFact } from "./statements.ts";

/**
 * Makes the statement of an account up to now: of what has been booked since the last month that
 * has a statement. It replaces an earlier one of the same month, and the month's own statement
 * replaces it. A later booking in its time withdraws it. Returns its id; null if the account has no
 * such time or is unknown.
 */
export function makeStatementNow(
  { database, clock }: { database: Database; clock: Clock },
  accountId: string,
): Promise<string | null> {
  return database.transaction(async (on) => {
    await lockStatements(on);
    // who books holds this lock: what comes later sees until when there is a statement
    const locked = await on.query(sql`
      select account_id from ledger_account where account_id = ${accountId} for no key update`);
    if (locked.length === 0) return null;
    const end = clock.now().round({ smallestUnit: "microsecond" }).add({ microseconds: 1 });
    await on.query(sql`
      update ledger_account set stated_until = ${end} where account_id = ${accountId}`);
    await removeInterim(on, [accountId], end);
    const made = await first<{ statement: DueStatement }>(
      on,
      sql`select statement from sandbox_statements(${end}, ${[accountId]}::text[], ${newId("st")})`,
    );
    if (!made) return null;
    await applyChanges(on, { statements: [toFact(made.statement)] });
    return made.statement.statementId;
  });
}
