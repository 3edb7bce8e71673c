import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Gives an account so many transactions, one every seven minutes back from a fixed time. */
export async function addHistory(
  database: Database,
  accountId: string,
  entries: number,
): Promise<void> {
  await database.query(sql`
    insert into account_transaction (account_id, booked_at, transaction_id, version, indicator,
      status, amount_minor, currency, iso_code, bank_code, bank_code_issuer, information,
      balance_minor, balance_type, merchant_name, merchant_category_code)
    select ${accountId}, '2026-11-20T10:00:00Z'::timestamptz - n * interval '7 minutes',
      'tx-' || lpad(n::text, 26, '0'), 1, case n % 9 when 0 then 'Credit' else 'Debit' end,
      'Booked', 1234, 'GBP', 'PMNT-CCRD-POSD', 'DEB', 'Aldgate',
      'CARD PAYMENT TO THE CORNER SHOP LONDON GB', 153211, 'ITBD', 'The Corner Shop', '5411'
    from generate_series(1, ${entries}::integer) n`);
  await database.execute("vacuum analyze");
}
