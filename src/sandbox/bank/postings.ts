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

/** What the name of money that is paid back for a settled payment begins with, before its id. */
export const returnName = "return-";
const returnPosting = `post-${returnName}`;

/**
 * Lists the postings of payments, in the order in which they were booked, at most 100. Money that
 * came back after a payment was settled has the purpose `return`.
 */
export async function listPostings(on: Queryable, paymentIds: Sql) {
  const rows = await on.query<PostingRow>(sql`
    select p.booked_at as at,
      case when p.payment_id is null then 'return' else p.purpose end as purpose,
      p.debit_account_id as "debitAccountId", p.credit_account_id as "creditAccountId",
      p.amount_minor as "amountMinor", p.currency
    from posting p where p.posting_id in (
      select o.posting_id from posting o where o.payment_id in (${paymentIds})
      union all
      select ${returnPosting} || i.payment_id from (${paymentIds}) i (payment_id))
    order by p.booked_at, p.posting_id limit ${mostShown}::integer`);
  return rows.map(({ at, amountMinor, currency, ...row }) => ({
    ...row,
    at: at.toString(),
    amount: formatAmount(amountMinor, currency),
    currency,
  }));
}
