// What the store forgets by itself: removals, and facts that were kept for their period. The work
// is done in slices, beside any number of processes and feeders.
import type { Config } from "#src/config/config.ts";
import { hasOwnCore } from "#src/config/own-core.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { applyChanges } from "./feed.ts";
import { ofPages, ofUnread } from "./forget-refusals.ts";

/** The periods for which facts are kept; without one, until the bank removes them. */
type Retention = Pick<
  Config,
  "TRANSACTIONS_KEEP_DAYS" | "STATEMENTS_KEEP_DAYS" | "CLOSED_ACCOUNTS_KEEP_DAYS"
>;

/**
 * How long a removal is remembered. An older version that arrives after this time is stored again.
 * The removal of an account is remembered for good, because consents may still name it, and that of
 * a party while a refused fact about the customer is listed.
 */
export const removalsRememberedDays = 30;

/** How long a fault of a page is listed, if the page is not sent again: facts of it may be lost. */
export const pagesRememberedDays = 400;

// A slice must end long before the limit of a statement: it would be rolled back, and tried again.
const accountsPerSlice = 1000;
const closedPerSlice = 10;
const factsPerSlice = 5000;

/** Lists the periods that are set although the sandbox bank needs every line and payment. */
export function retentionMistakes(
  config: Retention & Pick<Config, "BANK_MODULE" | "BANK_URL" | "CONSENTS_KEEP_DAYS">,
): string[] {
  if (hasOwnCore(config)) return [];
  const names = [
    "TRANSACTIONS_KEEP_DAYS",
    "STATEMENTS_KEEP_DAYS",
    "CLOSED_ACCOUNTS_KEEP_DAYS",
    "CONSENTS_KEEP_DAYS",
  ] as const;
  return names
    .filter((name) => config[name] !== undefined)
    .map((name) => `${name}: the sandbox bank keeps everything; only a bank's own core may set it`);
}

/** Forgets one slice of each: removals, transactions, statements and closed accounts. */
export async function purgeFacts(
  database: Database,
  retention: Retention,
  now: Temporal.Instant,
): Promise<void> {
  await purgeRemovals(database);
  const before = (days: number) => now.subtract({ hours: 24 * days });
  const { TRANSACTIONS_KEEP_DAYS, STATEMENTS_KEEP_DAYS, CLOSED_ACCOUNTS_KEEP_DAYS } = retention;
  if (TRANSACTIONS_KEEP_DAYS) await purgeTransactions(database, before(TRANSACTIONS_KEEP_DAYS));
  if (STATEMENTS_KEEP_DAYS) await purgeStatements(database, before(STATEMENTS_KEEP_DAYS));
  if (CLOSED_ACCOUNTS_KEEP_DAYS) await purgeClosed(database, before(CLOSED_ACCOUNTS_KEEP_DAYS));
}

const purgeRemovals = (on: Queryable) =>
  on.query(sql`
    delete from removed_fact where ctid = any(array(
      select ctid from removed_fact
      where removed_at < now() - make_interval(days => ${removalsRememberedDays}::integer)
        and entity <> 'account'
        and not (entity = 'party'
          and exists (select from fact_refusal where customer_id = removed_fact.key))
      order by removed_at limit ${factsPerSlice} for update skip locked))`);

/**
 * Forgets the refusals of facts about an account or a customer that the bank has erased, if they
 * came after it and are old. Also forgets old refusals that name no fact, because no fact that is
 * stored later can end them. Any other refused fact stays listed until a version of it is stored.
 * This reads all refusals, so it is for work that runs seldom.
 */
export async function purgeRefusals(on: Queryable): Promise<void> {
  await on.query(sql`
    delete from fact_refusal f
    where refused_at < now() - make_interval(days => ${removalsRememberedDays}::integer)
      and (
        f.key = '' or f.kind in ('delivered', 'position') or
        (f.kind in (${ofPages}, ${ofUnread})
          and refused_at < now() - make_interval(days => ${pagesRememberedDays}::integer)) or
        (exists (select from removed_fact where entity = 'account' and key = f.account_id)
          and not exists (select from account a where a.account_id = f.account_id))
        or (exists (select from removed_fact where entity = 'party' and key = f.customer_id)
          and not exists (select from party p where p.party_id = f.customer_id)))`);
}

// The history of an account starts with its first transaction that is left. The oldest ones are
// deleted first, and the next slice finds an account that has more.
const purgeTransactions = (database: Database, limit: Temporal.Instant): Promise<void> =>
  database.transaction(async (on) => {
    const found = await on.query<{ id: string }>(sql`
      select account_id as id from account where history_from < ${limit}
      order by history_from limit ${accountsPerSlice} for no key update skip locked`);
    if (found.length === 0) return;
    const ids = found.map(({ id }) => id);
    await on.query(sql`
      delete from account_transaction where ctid = any(array(
        select t.ctid from unnest(${ids}::text[]) as a(id)
        cross join lateral (
          select ctid from account_transaction
          where account_id = a.id and booked_at < ${limit}
          order by booked_at limit ${factsPerSlice}) t
        limit ${factsPerSlice}))`);
    await on.query(sql`
      update account a set history_from = (
        select min(t.booked_at) from account_transaction t where t.account_id = a.account_id)
      where account_id = any(${ids}::text[])`);
  });

const purgeStatements = (on: Queryable, limit: Temporal.Instant) =>
  on.query(sql`
    delete from account_statement where ctid = any(array(
      select ctid from account_statement where ends_at < ${limit}
      order by ends_at limit ${factsPerSlice} for update skip locked))`);

// An account that was closed long ago is removed as the bank would remove it.
const purgeClosed = (database: Database, limit: Temporal.Instant): Promise<void> =>
  database.transaction(async (on) => {
    const accounts = await on.query<{ accountId: string; version: bigint }>(sql`
      select account_id as "accountId", version + 1 as version from account
      where status = 'Deleted' and status_updated_at < ${limit}
      order by status_updated_at limit ${closedPerSlice} for no key update skip locked`);
    if (accounts.length > 0) await applyChanges(on, { removed: { accounts } });
  });
