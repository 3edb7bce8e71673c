import type { AccountFunds, Bank, BankAccount } from "./port.ts";

/**
 * Lists a customer's accounts with their balances, which a core gives with the list or alone. They
 * are null if it gives none, and it is not asked for that of a closed account.
 */
export async function listWithFunds(
  bank: Pick<Bank, "listAccounts" | "loadFunds">,
  customerId: string,
): Promise<(BankAccount & { funds: AccountFunds | null })[]> {
  const accounts = await bank.listAccounts(customerId, { funds: true });
  const missing = accounts.filter(
    ({ funds, status }) => funds === undefined && status !== "Deleted",
  );
  const found =
    missing.length === 0
      ? new Map<string, AccountFunds>()
      : await bank.loadFunds(missing.map(({ accountId }) => accountId));
  return accounts.map((account) => ({
    ...account,
    funds: account.funds ?? found.get(account.accountId) ?? null,
  }));
}
