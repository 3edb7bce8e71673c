import type { TransactionStatus } from "#src/account-store/transaction.ts";
import { present } from "#src/lib/assert.ts";
import { newId } from "#src/lib/ids.ts";
import type { Database } from "#src/storage/database.ts";
import { storeFacts, transactionFact } from "./stored-transactions.ts";

/** A transaction of an account. By default, it is a booked debit. */
export type Entry = { at: string; indicator?: "Credit" | "Debit"; status?: TransactionStatus };

/** Books transactions of £1 each. Returns their ids. */
export async function addEntries(
  database: Database,
  accountId: string,
  entries: readonly Entry[],
): Promise<string[]> {
  const ids = entries.map(() => newId("tx"));
  const facts = entries.map(({ at, indicator = "Debit", status = "Booked" }, index) =>
    transactionFact({
      accountId,
      transactionId: present(ids[index], "an id"),
      indicator,
      status,
      bookedAt: Temporal.Instant.from(at),
      information: `No. ${index} – “£”`,
    }),
  );
  await storeFacts(database, facts);
  return ids;
}
