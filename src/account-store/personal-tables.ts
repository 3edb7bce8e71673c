import type { Queryable } from "#src/storage/database.ts";
import {
  type CustomerIds,
  isOneOf,
  ofCustomer,
  type PersonalTable,
  personalTable,
} from "#src/storage/personal-table.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { applyChanges, lockChanges } from "./feed.ts";

// What the store has about a customer: the accounts that they hold with all facts, and the facts
// that name them. An erasure removes the facts as their core would.

const ofAccount = ({ accountIds }: CustomerIds): Sql => isOneOf(sql`t.account_id`, accountIds);

/** The tables of account data. */
export const accountDataTables: readonly PersonalTable[] = [
  personalTable("account", null, ofAccount),
  personalTable("account_balance", null, ofAccount),
  personalTable("account_freshness", null, ofAccount),
  personalTable("account_holder", null, ofCustomer),
  personalTable("account_statement", null, ofAccount),
  personalTable("account_transaction", null, ofAccount, ["facts", "has_particulars"]),
  personalTable("beneficiary", null, ofCustomer),
  personalTable("channel_scheduled_payment", null, ofAccount),
  personalTable("channel_standing_order", null, ofAccount),
  personalTable("direct_debit", null, ofAccount),
  personalTable("offer", null, ofAccount),
  personalTable("party", null, ({ partyIds }) => isOneOf(sql`t.party_id`, partyIds)),
  // one that names another holder of the account is about that holder
  personalTable(
    "fact_refusal",
    null,
    (ids) => sql`(${ofAccount(ids)} and t.customer_id is null
      or ${isOneOf(sql`t.customer_id`, ids.partyIds)})`,
  ),
  personalTable(
    "removed_fact",
    "an older fact that arrives late must not be stored again",
    (ids) => sql`(${ofAccount(ids)} and t.entity <> 'holder'
      or t.entity = 'account' and ${isOneOf(sql`t.key`, ids.accountIds)}
      or t.entity = 'party' and ${isOneOf(sql`t.key`, ids.partyIds)}
      or t.entity = 'holder' and split_part(t.key, ' ', 2) = ${ids.customerId})`,
  ),
];

/** What a customer holds. */
export type Holdings = {
  /** The accounts that nobody else holds. */
  sole: string[];
  /** Those that others hold too. */
  joint: string[];
  /** The companies of the sole accounts, unless other accounts are theirs or they hold accounts. */
  companies: string[];
};

/** Finds what a customer holds. */
export async function findHoldings(on: Queryable, customerId: string): Promise<Holdings> {
  const accounts = await on.query<{ id: string; isJoint: boolean }>(sql`
    select h.account_id as id, exists (
        select from account_holder o
        where o.account_id = h.account_id and o.customer_id <> h.customer_id) as "isJoint"
    from account_holder h where h.customer_id = ${customerId} order by h.account_id`);
  const those = (isJoint: boolean) =>
    accounts.filter((account) => account.isJoint === isJoint).map(({ id }) => id);
  const [sole, joint] = [those(false), those(true)];
  const companies = await on.query<{ id: string }>(sql`
    select distinct a.company_id as id from account a
    where ${isOneOf(sql`a.account_id`, sole)} and a.company_id is not null
      and not exists (select from account o
        where o.company_id = a.company_id and not ${isOneOf(sql`o.account_id`, sole)})
      and not exists (select from account_holder h where h.customer_id = a.company_id)
    order by a.company_id`);
  return { sole, joint, companies: companies.map(({ id }) => id) };
}

/** Makes feeders of facts about a customer wait until the transaction ends. */
export const lockHoldings = (on: Queryable, { sole, joint }: Holdings): Promise<void> => {
  const accounts = [...sole, ...joint].map((accountId) => ({ accountId, version: 0n }));
  return lockChanges(on, { removed: { accounts, parties: [], beneficiaries: [] } });
};

/**
 * Removes the facts about a customer, each as the next version of what is stored, in a transaction
 * that has locked the holdings. An account that others hold too stays theirs. The removal of a
 * party is remembered even if none was stored, so that refused facts about it are forgotten.
 */
export async function eraseFacts(
  on: Queryable,
  customerId: string,
  { sole, companies }: Holdings,
): Promise<void> {
  const partyIds = [customerId, ...companies];
  const accounts = await on.query<{ accountId: string; version: bigint }>(sql`
    select account_id as "accountId", version + 1 as version from account
    where ${isOneOf(sql`account_id`, sole)}`);
  const holders = await on.query<{ accountId: string; customerId: string; version: bigint }>(sql`
    select account_id as "accountId", customer_id as "customerId", version + 1 as version
    from account_holder where customer_id = ${customerId}`);
  const beneficiaries = await on.query<{ beneficiaryId: string; version: bigint }>(sql`
    select beneficiary_id as "beneficiaryId", version + 1 as version
    from beneficiary where customer_id = ${customerId}`);
  const parties = await on.query<{ partyId: string; version: bigint }>(sql`
    select k.id as "partyId", coalesce(greatest(p.version, r.version) + 1, -1) as version
    from unnest(${partyIds}::text[]) as k(id)
    left join party p on p.party_id = k.id
    left join removed_fact r on r.entity = 'party' and r.key = k.id
    where p.party_id is not null or r.key is null
      or exists (select from fact_refusal f where f.customer_id = k.id)`);
  await applyChanges(on, { removed: { accounts, holders, beneficiaries, parties } });
  const left = await on.query(sql`
    select from account where ${isOneOf(sql`account_id`, sole)}
    union all select from account_holder where customer_id = ${customerId}
    union all select from beneficiary where customer_id = ${customerId}
    union all select from party where ${isOneOf(sql`party_id`, partyIds)}`);
  if (left.length > 0) {
    throw new Error("The core has sent facts about the customer meanwhile. Nothing was erased.");
  }
}
