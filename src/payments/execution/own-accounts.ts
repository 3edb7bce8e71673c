import type { Bank } from "#src/bank/port.ts";
import type { Database } from "#src/storage/database.ts";

/** The calls that find a customer's orders: the bank's core decides who holds an account. */
export type OwnOrdersDeps = { database: Database; bank: Pick<Bank, "listAccounts"> };

/** The ids of the accounts that a customer holds or may sign for. */
export async function listOwnAccountIds(
  bank: Pick<Bank, "listAccounts">,
  customerId: string,
): Promise<string[]> {
  const accounts = await bank.listAccounts(customerId);
  return accounts.map(({ accountId }) => accountId);
}
