import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Gives an account so many transactions, one every seven minutes back from a fixed time. */
export async function addHistory(
  database: Database,
  accountId: string,
  entries: number,
): Promise<void> {
  await database.query(sql`
    insert into account_transaction (account_id, booked_at, transaction_id, indicator, status,
      amount_minor, currency, basic_members, detail_members)
    select ${accountId}, at, id, indicator, 'Booked', 1234, 'GBP',
      format('"AccountId":%s,"TransactionId":%s,"CreditDebitIndicator":%s,"Status":"Booked",'
          '"TransactionMutability":"Immutable","BookingDateTime":%s,"ValueDateTime":%s,'
          '"Amount":{"Amount":"12.34","Currency":"GBP"},"BankTransactionCode":'
          '{"Code":"CustomerCardTransactions","SubCode":"PointOfSaleDebitCard"},'
          '"ProprietaryBankTransactionCode":{"Code":"DEB","Issuer":"Aldgate"}',
        to_json(${accountId}::text), to_json(id), to_json(indicator), to_json(shown),
        to_json(shown)),
      '"TransactionInformation":"CARD PAYMENT TO THE CORNER SHOP LONDON GB",'
        '"Balance":{"CreditDebitIndicator":"Credit","Type":"InterimBooked",'
        '"Amount":{"Amount":"1532.11","Currency":"GBP"}},'
        '"MerchantDetails":{"MerchantName":"The Corner Shop","MerchantCategoryCode":"5411"}'
    from (
      select '2026-11-20T10:00:00Z'::timestamptz - n * interval '7 minutes' as at,
        'tx-' || lpad(n::text, 26, '0') as id,
        case n % 9 when 0 then 'Credit' else 'Debit' end as indicator,
        to_char('2026-11-20T10:00:00Z'::timestamptz - n * interval '7 minutes',
          'YYYY-MM-DD"T"HH24:MI:SS"Z"') as shown
      from generate_series(1, ${entries}::integer) n
    ) entry`);
  await database.execute("analyze");
}
