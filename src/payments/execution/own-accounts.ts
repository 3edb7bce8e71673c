import type { Bank } from "#src/bank/port.ts";
import type { Database } from "#src/storage/database.ts";

/** What is asked to find a customer's orders: whose accounts they are is the bank's to say. */
export type OwnOrdersDeps = { database: Database; bank: Pick<Bank, "listAccounts"> };

/** The ids of the accounts that a customer holds or may sign for. */
export async function listOwnAccountIds(
  bank: Pick<Bank, "listAccounts">,
  customerId: string,
): Promise<string[]> {
  const accounts = await bank.listAccounts(customerId);
  return accounts.map(({ accountId }) => accountId);
}
