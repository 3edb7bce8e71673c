import type { Queryable } from "#src/storage/database.ts";
import {
  type CustomerIds,
  isOneOf,
  type PersonalTable,
  personalTable,
} from "#src/storage/personal-table.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { applyChanges } from "./feed.ts";

// What the store has about a customer: the accounts that they hold with all facts, and the facts
// that name them. An erasure removes the facts as their core would.

const ofAccount = ({ accountIds }: CustomerIds): Sql => isOneOf(sql`t.account_id`, accountIds);
const ofCustomer = ({ customerId }: CustomerIds): Sql => sql`t.customer_id = ${customerId}`;

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
  personalTable("party", null, ({ customerId }) => sql`t.party_id = ${customerId}`),
  personalTable(
    "fact_refusal",
    null,
    (ids) => sql`(${ofAccount(ids)} or t.customer_id = ${ids.customerId})`,
  ),
  personalTable(
    "removed_fact",
    "an older fact that arrives late must not be stored again",
    (ids) => sql`(${ofAccount(ids)} and t.entity <> 'holder'
      or t.entity = 'account' and ${isOneOf(sql`t.key`, ids.accountIds)}
      or t.entity = 'party' and t.key = ${ids.customerId}
      or t.entity = 'holder' and split_part(t.key, ' ', 2) = ${ids.customerId})`,
  ),
];

/** The accounts of a customer: those that nobody else holds, and those that others hold too. */
export async function findHeldAccounts(
  on: Queryable,
  customerId: string,
): Promise<{ sole: string[]; joint: string[] }> {
  const rows = await on.query<{ id: string; isJoint: boolean }>(sql`
    select h.account_id as id, exists (
        select from account_holder o
        where o.account_id = h.account_id and o.customer_id <> h.customer_id) as "isJoint"
    from account_holder h where h.customer_id = ${customerId} order by h.account_id`);
  const idsOf = (wanted: boolean) => rows.filter((row) => row.isJoint === wanted);
  return { sole: idsOf(false).map(({ id }) => id), joint: idsOf(true).map(({ id }) => id) };
}

/**
 * Removes the facts about a customer, each as the next version of what is stored. An account that
 * others hold too stays theirs.
 */
export async function eraseFacts(
  on: Queryable,
  customerId: string,
  soleIds: readonly string[],
): Promise<void> {
  const accounts = await on.query<{ accountId: string; version: bigint }>(sql`
    select account_id as "accountId", version + 1 as version from account
    where ${isOneOf(sql`account_id`, soleIds)}`);
  const holders = await on.query<{ accountId: string; customerId: string; version: bigint }>(sql`
    select account_id as "accountId", customer_id as "customerId", version + 1 as version
    from account_holder where customer_id = ${customerId}`);
  const beneficiaries = await on.query<{ beneficiaryId: string; version: bigint }>(sql`
    select beneficiary_id as "beneficiaryId", version + 1 as version
    from beneficiary where customer_id = ${customerId}`);
  const parties = await on.query<{ partyId: string; version: bigint }>(sql`
    select party_id as "partyId", version + 1 as version
    from party where party_id = ${customerId}`);
  if ([accounts, holders, beneficiaries, parties].every(({ length }) => length === 0)) return;
  await applyChanges(on, { removed: { accounts, holders, beneficiaries, parties } });
}
