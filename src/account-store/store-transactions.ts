import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { TransactionFact } from "./transaction.ts";
import type { TransactionRow } from "./transaction-rows.ts";

/**
 * Stores transactions, each only if its version is newer than the stored one. The list must not
 * contain a transaction twice. The bank may pass its own database transaction, so that its ledger
 * and the facts change together.
 */
export async function storeTransactions(
  on: Queryable,
  rows: readonly TransactionRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await on.query(sql`select store_transactions(${JSON.stringify(rows)}::json)`);
}

/** A newer version of a transaction of which only the status has changed. */
export type TransactionStatusChange = Pick<
  TransactionFact,
  "accountId" | "transactionId" | "version" | "status" | "bookingId"
>;

/** Changes the status of transactions, each only if its version is newer than the stored one. */
export async function storeStatuses(
  on: Queryable,
  changes: readonly TransactionStatusChange[],
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
