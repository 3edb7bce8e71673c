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

/**
 * Changes the status of transactions, each only if its version is newer than the stored one. A
 * change that is not newer than the removal of its transaction is ignored. Otherwise, throws if a
 * transaction is not in the store: an older version of it, stored later, would keep the old status.
 */
export async function storeStatuses(
  on: Queryable,
  changes: readonly TransactionStatusChange[] = [],
): Promise<void> {
  if (changes.length === 0) return;
  const newest = newestOf(changes, ({ transactionId }) => transactionId);
  const rows = newest.map(({ transactionId, version, status, bookingId }) => ({
    transaction_id: transactionId,
    version: version.toString(),
    status,
    posting_id: bookingId,
  }));
  const given = JSON.stringify(rows);
  const unknown = await on.query<{ transactionId: string }>(sql`
    with given as (
      select g.transaction_id, g.version, g.status, g.posting_id
      from json_populate_recordset(null::account_transaction, ${given}::json) g
    ), changed as (
      update account_transaction t set status = g.status, posting_id = g.posting_id,
        version = g.version
      from given g
      where t.transaction_id = g.transaction_id and t.version < g.version
    )
    select g.transaction_id as "transactionId" from given g
    where not exists (
        select from account_transaction t where t.transaction_id = g.transaction_id)
      and not exists (select from removed_fact r where r.entity = 'transaction'
        and r.key = g.transaction_id and r.version >= g.version)
    limit 1`);
  const id = unknown[0]?.transactionId;
  if (id === undefined) return;
  throw new Error(`transaction ${id} is not in the store: send it before a change of its status`);
}
