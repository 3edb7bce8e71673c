import type { Permission } from "#src/standard/shared/accounts/account-access-consent.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { copySeeded } from "#test/harness.ts";
import { AccountsBank } from "./fixture.ts";

/** An account of a persona, and the persona's customer. */
export type SeededAccount = { accountId: string; customerId: string };

/** Opens account information over the bank of the personas. Close it when done. */
export async function openSeeded(): Promise<AccountsBank> {
  const bank = await AccountsBank.over(await copySeeded());
  bank.now = Temporal.Now.instant();
  return bank;
}

/** Finds the account to which a persona has given this name. */
export async function accountOf(
  bank: AccountsBank,
  login: string,
  nickname: string,
): Promise<SeededAccount> {
  const row = await first<SeededAccount>(
    bank.database,
    sql`select a.account_id as "accountId", c.customer_id as "customerId"
      from account a join account_holder h on h.account_id = a.account_id
      join customer c on c.customer_id = h.customer_id
      where c.login = ${login} and a.nickname = ${nickname}`,
  );
  if (!row) throw new Error(`${login} has no account called ${nickname}`);
  return row;
}

/**
 * Returns a token for one account with these permissions, and the permission that every consent
 * needs.
 */
export async function tokenFor(
  bank: AccountsBank,
  { accountId, customerId }: SeededAccount,
  permissions: Permission[],
  more: { from?: string; to?: string } = {},
): Promise<string> {
  const all = ["ReadAccountsBasic", ...permissions];
  const accountIds = [accountId];
  return (await bank.addConsent({ customerId, accountIds, permissions: all, ...more })).token;
}
