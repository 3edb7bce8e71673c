import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { TransactionRow } from "./transaction-rows.ts";

/**
 * Stores transactions, each if its version is newer than the stored one. The bank may hand over its
 * own transaction of the database: then its ledger and the facts change together. No transaction
 * may be there twice.
 */
export async function storeTransactions(
  on: Queryable,
  rows: readonly TransactionRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await on.query(sql`select store_transactions(${JSON.stringify(rows)}::json)`);
}
