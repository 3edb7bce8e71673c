import { applyChanges } from "#src/account-store/feed.ts";
import type { TransactionFact } from "#src/account-store/transaction.ts";
import {
  type StoredTransaction,
  transactionFacts,
  transactionTable,
} from "#src/account-store/transaction-rows.ts";
import { transactionWordsV3 } from "#src/accounts/versions/aisp-v3.1/views.ts";
import {
  renderTransactionText,
  type TransactionKey,
} from "#src/accounts/views/transaction-text.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** A booked debit of £1 without other facts. `given` replaces members. */
export const transactionFact = (
  given: Partial<TransactionFact> & Pick<TransactionFact, "accountId" | "transactionId">,
): TransactionFact => ({
  version: 1n,
  indicator: "Debit",
  status: "Booked",
  bookedAt: Temporal.Instant.from("2026-11-20T08:00:00Z"),
  valueAt: null,
  amount: { amountMinor: 100n, currency: "GBP" },
  isoCode: null,
  bankCode: null,
  reference: null,
  information: null,
  card: null,
  merchant: null,
  counterparty: null,
  balance: null,
  particulars: null,
  bookingId: null,
  ...given,
});

/** Stores facts in the same way as every bank. */
export const storeFacts = (on: Queryable, facts: readonly TransactionFact[]): Promise<void> =>
  applyChanges(on, { transactions: facts });

/** Returns the v3.1 items of the transactions `t` that meet a condition, in the given order. */
export async function shownTransactions(
  database: Database,
  rest: Sql,
  detail = true,
  // tests read all members
  // biome-ignore lint/suspicious/noExplicitAny: an assertion on an absent member fails
): Promise<any[]> {
  const rows = await database.query<{ key: TransactionKey; facts: StoredTransaction }>(sql`
    select json_build_object('accountId', t.account_id, 'transactionId', t.transaction_id,
      'bookedAt', t.booked_at) as key, (${transactionFacts})::json as facts
    from ${transactionTable} ${rest}`);
  const view = { words: transactionWordsV3, detail, quote: JSON.stringify };
  return rows.map(({ key, facts }) => JSON.parse(renderTransactionText(view, key, facts)));
}
