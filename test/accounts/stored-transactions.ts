import { storeTransactions } from "#src/account-store/store-transactions.ts";
import type { TransactionFact } from "#src/account-store/transaction.ts";
import {
  type StoredTransaction,
  toTransactionRow,
  transactionFacts,
  transactionTable,
} from "#src/account-store/transaction-rows.ts";
import {
  renderTransactionText,
  type TransactionKey,
} from "#src/accounts/resources/transaction-text.ts";
import { transactionWordsV3 } from "#src/accounts/resources/transaction-words.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** A booked debit of one pound with nothing besides, and what is given instead. */
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

/** Stores facts as every bank does. */
export const storeFacts = (on: Queryable, facts: readonly TransactionFact[]): Promise<void> =>
  storeTransactions(on, facts.map(toTransactionRow));

/** What v3.1 shows of the transactions `t` of a condition, in the order given. */
export async function shownTransactions(
  database: Database,
  rest: Sql,
  detail = true,
  // the tests look into all of it
  // biome-ignore lint/suspicious/noExplicitAny: an assertion on what is not there fails by itself
): Promise<any[]> {
  const rows = await database.query<{ key: TransactionKey; facts: StoredTransaction }>(sql`
    select json_build_object('accountId', t.account_id, 'transactionId', t.transaction_id,
      'bookedAt', t.booked_at) as key, (${transactionFacts})::json as facts
    from ${transactionTable} ${rest}`);
  return rows.map(({ key, facts }) =>
    JSON.parse(renderTransactionText(transactionWordsV3, key, facts, detail)),
  );
}
