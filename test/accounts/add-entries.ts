import { newId } from "#src/lib/ids.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** A line of an account's list: a debit that is booked, unless it says otherwise. */
export type Entry = { at: string; indicator?: "Credit" | "Debit"; status?: string };

/** Books entries of one pound each; gives their ids. */
export async function addEntries(
  database: Database,
  accountId: string,
  entries: readonly Entry[],
): Promise<string[]> {
  const ids = entries.map(() => newId("tx"));
  for (const [index, { at, indicator = "Debit", status = "Booked" }] of entries.entries()) {
    const basic = {
      AccountId: accountId,
      TransactionId: ids[index],
      CreditDebitIndicator: indicator,
      Status: status,
      BookingDateTime: Temporal.Instant.from(at).toString(),
      Amount: { Amount: "1.00", Currency: "GBP" },
    };
    const detail = { TransactionInformation: `No. ${index} – “£”` };
    await database.query(sql`
      insert into account_transaction (account_id, booked_at, transaction_id, indicator, status,
        amount_minor, currency, basic_members, detail_members)
      values (${accountId}, ${at}, ${ids[index]}, ${indicator}, ${status}, 100, 'GBP',
        ${JSON.stringify(basic).slice(1, -1)}, ${JSON.stringify(detail).slice(1, -1)})`);
  }
  return ids;
}
