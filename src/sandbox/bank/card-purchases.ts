import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

// Purchases that one transaction books: few enough to hold no lock for long.
const sliceSize = 500;

/**
 * Books a slice of the pending card purchases that are due, earliest first: the hold becomes a
 * posting, and the line in the customer's list is Booked. Returns how many it booked.
 */
export async function bookDuePurchases(database: Database, now: Temporal.Instant): Promise<number> {
  return database.transaction(async (on) => {
    // the hold goes first: for a moment the funds would otherwise be counted twice
    const due = await on.query<{ transactionId: string }>(sql`
      with due as (
        select account_id, booked_at, transaction_id from account_transaction
        where status = 'Pending' and booked_at <= ${now}
        order by booked_at limit ${sliceSize} for update skip locked
      )
      delete from hold h using due d where h.hold_id = d.transaction_id
      returning h.hold_id as "transactionId"`);
    if (due.length === 0) return 0;
    const ids = due.map(({ transactionId }) => transactionId);
    await on.query(sql`
      with booked as (
        update account_transaction set status = 'Booked', posting_id = 'post-' || transaction_id,
          version = version + 1
        where transaction_id = any(${ids}::text[])
        returning transaction_id, account_id, amount_minor, currency, booked_at
      )
      insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
        booked_at, purpose)
      select 'post-' || transaction_id, account_id, 'internal-cards', amount_minor, currency,
        booked_at, 'card'
      from booked`);
    return due.length;
  });
}
