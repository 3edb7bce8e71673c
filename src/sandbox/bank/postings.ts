import { formatAmount } from "#src/lib/money.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

type PostingRow = {
  at: Temporal.Instant;
  purpose: string;
  debitAccountId: string;
  creditAccountId: string;
  amountMinor: bigint;
  currency: string;
};

const mostShown = 100;

/** Lists the postings of payments, in the order in which they were booked, at most 100. */
export async function listPostings(on: Queryable, paymentIds: Sql) {
  const rows = await on.query<PostingRow>(sql`
    select p.booked_at as at, p.purpose, p.debit_account_id as "debitAccountId",
      p.credit_account_id as "creditAccountId", p.amount_minor as "amountMinor", p.currency
    from posting p where p.payment_id in (${paymentIds})
    order by p.booked_at, p.posting_id limit ${mostShown}::integer`);
  return rows.map(({ at, amountMinor, currency, ...row }) => ({
    ...row,
    at: at.toString(),
    amount: formatAmount(amountMinor, currency),
    currency,
  }));
}
