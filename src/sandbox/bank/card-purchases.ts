import { applyChanges } from "#src/account-store/feed.ts";
import { transactionTable } from "#src/account-store/transaction-rows.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

// Purchases per transaction: few, so that locks are short.
const sliceSize = 500;

// A process claims a purchase by locking its hold, not its transaction: the ledger locks holds
// before accounts, but the feed locks transactions after accounts.
const pendingPurchases = sql`${transactionTable} join hold h on h.hold_id = t.transaction_id
  where t.status = 'Pending'`;

/** The time of the next pending card purchase, which may be in the past; null if there is none. */
export async function nextPurchaseAt(on: Queryable): Promise<Temporal.Instant | null> {
  const row = await first<{ at: Temporal.Instant }>(
    on,
    sql`select t.booked_at as at from ${pendingPurchases} order by t.booked_at limit 1`,
  );
  return row?.at ?? null;
}

/**
 * Books a slice of the pending card purchases that are due, earliest first. The hold becomes a
 * posting, and the customer's transaction becomes Booked. Returns how many it booked.
 */
export async function bookDuePurchases(database: Database, now: Temporal.Instant): Promise<number> {
  return database.transaction(async (on) => {
    const due = await on.query<DuePurchase>(sql`
      select t.account_id as "accountId", t.transaction_id as "transactionId", t.version,
        t.amount_minor as "amountMinor", t.currency, t.booked_at as "bookedAt"
      from ${pendingPurchases} and t.booked_at <= ${now}
      order by t.booked_at limit ${sliceSize} for update of h skip locked`);
    if (due.length === 0) return 0;
    const ids = due.map(({ transactionId }) => transactionId);
    // the hold is released first, because otherwise the funds would briefly be counted twice
    await on.query(sql`delete from hold where hold_id = any(${ids}::text[])`);
    const postings = due.map((purchase) => ({
      posting_id: postingIdOf(purchase),
      debit_account_id: purchase.accountId,
      amount_minor: purchase.amountMinor.toString(),
      currency: purchase.currency,
      booked_at: purchase.bookedAt.toString(),
    }));
    await on.query(sql`
      insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
        booked_at, purpose)
      select posting_id, debit_account_id, 'internal-cards', amount_minor, currency, booked_at,
        'card'
      from json_populate_recordset(null::posting, ${JSON.stringify(postings)}::json)`);
    await applyChanges(on, {
      statuses: due.map((purchase) => ({
        accountId: purchase.accountId,
        transactionId: purchase.transactionId,
        version: purchase.version + 1n,
        status: "Booked",
        bookingId: postingIdOf(purchase),
      })),
    });
    return due.length;
  });
}

type DuePurchase = {
  accountId: string;
  transactionId: string;
  version: bigint;
  amountMinor: bigint;
  currency: string;
  bookedAt: Temporal.Instant;
};

const postingIdOf = ({ transactionId }: DuePurchase): string => `post-${transactionId}`;
