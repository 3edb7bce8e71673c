import { applyChanges } from "#src/account-store/feed.ts";
import type { Counterparty } from "#src/account-store/transaction.ts";
import type { Money } from "#src/lib/money.ts";
import { newTransaction, type TransactionType } from "#src/sandbox/bank/transaction-codes.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Money from outside the bank for an account. Its name is unique: it is paid in once. */
type PaidIn = {
  name: string;
  accountId: string;
  /** In the account's currency. */
  amount: Money;
  type: TransactionType;
  information: string;
  reference: string | null;
  payer: Counterparty | null;
};

/**
 * Pays money into an account, and returns the id of the transaction; null if it was paid in before.
 */
export async function payIn(
  on: Queryable,
  paid: PaidIn,
  now: Temporal.Instant,
): Promise<string | null> {
  const { name, accountId, amount, type, information, reference, payer } = paid;
  const { currency } = amount;
  const source = currency === "GBP" ? "internal-fps" : `internal-exchange-${currency}`;
  const postingId = `post-${name}`;
  const rows = await on.query(sql`
    insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
      booked_at, purpose)
    values (${postingId}, ${source}, ${accountId}, ${amount.amountMinor}, ${currency}, ${now},
      'income')
    on conflict do nothing returning posting_id`);
  if (rows.length === 0) return null;
  const transactionId = `tx-${name}`;
  const shown = {
    ...newTransaction(type),
    accountId,
    transactionId,
    indicator: "Credit" as const,
    status: "Booked" as const,
    bookedAt: now,
    amount,
    reference,
    information,
    counterparty: payer,
    bookingId: postingId,
  };
  await applyChanges(on, { transactions: [shown] });
  return transactionId;
}
