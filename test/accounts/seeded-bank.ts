import type { Permission } from "#src/standard/shared/accounts/account-access-consent.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { copySeeded } from "#test/harness.ts";
import { customerIdOf } from "#test/sandbox/stored-customers.ts";
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
  const customerId = await customerIdOf(bank.database, login);
  const row = await first<SeededAccount>(
    bank.database,
    sql`select a.account_id as "accountId", h.customer_id as "customerId"
      from account a join account_holder h on h.account_id = a.account_id
      where h.customer_id = ${customerId} and a.nickname = ${nickname}`,
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

/** A persona's customer, open accounts (current accounts first), and newest statement. */
export type Persona = { customerId: string; accountIds: string[]; statementId: string };

/** Finds a persona. The statement is that of the first account; "" if there is none. */
export async function personaOf({ database }: AccountsBank, login: string): Promise<Persona> {
  const customerId = await customerIdOf(database, login);
  const rows = await database.query<{ accountId: string }>(sql`
    select h.account_id as "accountId"
    from account_holder h join account a on a.account_id = h.account_id
    where h.customer_id = ${customerId} and a.status = 'Enabled'
    order by a.account_sub_type <> 'CurrentAccount', h.account_id`);
  const accountIds = rows.map(({ accountId }) => accountId);
  const made = await first<{ statementId: string }>(
    database,
    sql`select statement_id as "statementId" from account_statement
      where account_id = ${accountIds[0]} order by starts_at desc limit 1`,
  );
  return { customerId, accountIds, statementId: made?.statementId ?? "" };
}
