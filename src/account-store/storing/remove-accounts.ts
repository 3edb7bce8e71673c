import type { AccountFact, Versioned } from "#src/account-store/facts.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** The tables of an account's facts, besides its own. */
const factTables = [
  sql`account_holder`,
  sql`account_transaction`,
  sql`account_balance`,
  sql`account_freshness`,
  sql`account_statement`,
  sql`offer`,
  sql`direct_debit`,
  sql`channel_standing_order`,
  sql`channel_scheduled_payment`,
] as const;

/**
 * Removes the facts of accounts, each only if the removal's version is newer than that of the
 * stored account; the caller then removes the account itself. An open account is closed first, so
 * that TPPs are told.
 */
export async function removeAccounts(
  on: Queryable,
  removals: readonly Versioned<Pick<AccountFact, "accountId">>[] = [],
): Promise<void> {
  if (removals.length === 0) return;
  const wanted = JSON.stringify(
    removals.map(({ accountId, version }) => ({ id: accountId, version: version.toString() })),
  );
  const found = await on.query<{ id: string }>(sql`
    select distinct account_id as id from account
    join json_to_recordset(${wanted}::json) as g(id text, version bigint)
      on g.id = account_id and g.version > account.version`);
  if (found.length === 0) return;
  const ids = found.map(({ id }) => id);
  await on.query(sql`
    update account set status = 'Deleted', is_switched = false, status_updated_at = now()
    where account_id = any(${ids}::text[]) and (status <> 'Deleted' or is_switched)`);
  for (const table of factTables) {
    await on.query(sql`delete from ${table} where account_id = any(${ids}::text[])`);
  }
}
