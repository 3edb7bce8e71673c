import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Gives an account a number of transactions, one every seven minutes before a fixed time. */
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
      'CARD PAYMENT TO THE CORNER SHOP LONDON GB', 153211, 'InterimBooked',
      'The Corner Shop', '5411'
    from generate_series(1, ${entries}::integer) n`);
  await database.execute("vacuum analyze");
}

/**
 * Gives each account a number of transactions in a bank's order of booking: day by day, and on each
 * day for all accounts. So an account's rows are as far apart as there are accounts.
 */
export async function addEverybodysHistory(
  database: Database,
  accounts: number,
  entries: number,
): Promise<void> {
  const batch = 20;
  for (let oldest = entries; oldest > 0; oldest -= batch) {
    await database.query(sql`
      insert into account_transaction (account_id, booked_at, transaction_id, version, indicator,
        status, amount_minor, currency, iso_code, bank_code, bank_code_issuer, information,
        balance_minor, balance_type, merchant_name, merchant_category_code)
      select ${accountPrefix} || lpad(a::text, 26, '0'),
        '2026-11-20T10:00:00Z'::timestamptz - n * interval '7 hours',
        'tx-' || lpad((n * ${accounts}::bigint + a)::text, 26, '0'), 1,
        case n % 9 when 0 then 'Credit' else 'Debit' end, 'Booked', 1234, 'GBP', 'PMNT-CCRD-POSD',
        'DEB', 'Aldgate', 'CARD PAYMENT TO THE CORNER SHOP LONDON GB', 153211, 'InterimBooked',
        'The Corner Shop', '5411'
      from generate_series(${oldest}::integer, ${oldest - batch + 1}::integer, -1) n,
        generate_series(1, ${accounts}::integer) a`);
  }
  await database.execute("vacuum analyze");
}

const accountPrefix = "acc-";

/** Returns the id of the n-th account, from 1. */
export const accountIdAt = (n: number): string =>
  `${accountPrefix}${n.toString().padStart(26, "0")}`;

/** Returns the key of an account's n-th newest entry, from 1, as made by `addEverybodysHistory`. */
export function keyAt(accounts: number, account: number, n: number): [string, string] {
  const newest = Temporal.Instant.from("2026-11-20T10:00:00Z");
  const at = newest.subtract({ hours: 7 * n }).toString();
  return [at, `tx-${(n * accounts + account).toString().padStart(26, "0")}`];
}
