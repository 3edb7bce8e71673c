import type { TransactionFact, TransactionStatusChange } from "#src/account-store/transaction.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { newestOf } from "./entity.ts";
import { type TransactionRow, toTransactionRow } from "./transaction-row.ts";

/** Returns one row per transaction, for the newest of its given versions. */
export const toNewestRows = (facts: readonly TransactionFact[]): TransactionRow[] =>
  newestOf(facts, ({ transactionId }) => transactionId).map(toTransactionRow);

/** Stores transactions, each only if its version is newer than the stored one. */
export async function storeTransactions(
  on: Queryable,
  facts: readonly TransactionFact[] = [],
): Promise<void> {
  if (facts.length === 0) return;
  await on.query(sql`select feed_transactions(${JSON.stringify(toNewestRows(facts))}::json)`);
}

/** Changes the status of transactions, each only if its version is newer than the stored one. */
export async function storeStatuses(
  on: Queryable,
  changes: readonly TransactionStatusChange[] = [],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ transactionId, version, status, bookingId }) => ({
    transaction_id: transactionId,
    version: version.toString(),
    status,
    posting_id: bookingId,
  }));
  await on.query(sql`
    update account_transaction t set status = g.status, posting_id = g.posting_id,
      version = g.version
    from json_populate_recordset(null::account_transaction, ${JSON.stringify(rows)}::json) g
    where t.transaction_id = g.transaction_id and t.version < g.version`);
}
