// The facts as rows, for tests that need what no bank feeds, or what a bank has fed already.
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { givenRows } from "#test/given-rows.ts";

/** Members of a stored account that a test sets. */
type AccountMembers = {
  status: string;
  statusUpdatedAt: Temporal.Instant;
  accountSubType: string;
  description: string | null;
  iban: string;
};

const columns: { [Member in keyof AccountMembers]: (value: AccountMembers[Member]) => Sql } = {
  status: (value) => sql`status = ${value}`,
  statusUpdatedAt: (value) => sql`status_updated_at = ${value}`,
  accountSubType: (value) => sql`account_sub_type = ${value}`,
  description: (value) => sql`description = ${value}`,
  iban: (value) => sql`iban = ${value}`,
};

/** Changes stored accounts. */
export async function setAccount(
  on: Queryable,
  which: string | readonly string[],
  members: Partial<AccountMembers>,
): Promise<void> {
  const ids = [which].flat();
  const sets = Object.entries(members).map(([member, value]) =>
    (columns[member as keyof AccountMembers] as (given: unknown) => Sql)(value),
  );
  const set = sets.reduce((all, one) => sql`${all}, ${one}`);
  await on.query(sql`update account set ${set} where account_id = any(${ids}::text[])`);
}

/** Returns how many accounts are stored. */
export const countAccounts = async (on: Queryable): Promise<number> =>
  (await on.query(sql`select 1 from account`)).length;

/** A payee of a customer to store. Brackets contain the value of an absent member. */
export type GivenBeneficiary = {
  beneficiaryId: string;
  customerId: string;
  /** [`Ordinary`] */
  type?: string;
  schemeName: string;
  identification: string;
  name: string;
  reference?: string;
};

/** Stores a payee that was created now. */
export const addBeneficiary = (on: Queryable, given: GivenBeneficiary): Promise<unknown> =>
  on.query(sql`
    insert into beneficiary (beneficiary_id, customer_id, beneficiary_type, scheme_name,
      identification, name, reference, created_at)
    values (${given.beneficiaryId}, ${given.customerId}, ${given.type ?? "Ordinary"},
      ${given.schemeName}, ${given.identification}, ${given.name}, ${given.reference ?? null},
      now())`);

/** Changes the costs and the rates of a statement. */
export const setStatementTerms = (
  on: Queryable,
  statementId: string,
  { costs, rates }: { costs: readonly object[]; rates: readonly object[] },
): Promise<unknown> =>
  on.query(sql`
    update account_statement set costs = ${JSON.stringify(costs)}::json,
      rates = ${JSON.stringify(rates)}::json
    where statement_id = ${statementId}`);

/** Replaces what is known about the product of an account. */
export const setProductDetails = (
  on: Queryable,
  accountId: string,
  details: object,
): Promise<unknown> =>
  on.query(sql`
    update product set details = ${JSON.stringify(details)}::json
    where product_id = (select product_id from account where account_id = ${accountId})`);

/** Sets the frequency of an account's direct debits. */
export const setDebitFrequency = (
  on: Queryable,
  accountId: string,
  frequency: string,
): Promise<unknown> =>
  on.query(sql`update direct_debit set frequency = ${frequency} where account_id = ${accountId}`);

/** Removes transactions of an account. */
export const removeTransactions = (
  on: Queryable,
  accountId: string,
  ids: readonly (string | undefined)[],
): Promise<unknown> =>
  on.query(sql`
    delete from account_transaction
    where account_id = ${accountId} and transaction_id = any(${ids}::text[])`);

/** Replaces the text of a transaction. */
export const setInformation = (
  on: Queryable,
  transactionId: string,
  information: string,
): Promise<unknown> =>
  on.query(sql`
    update account_transaction set information = ${information}
    where transaction_id = ${transactionId}`);

/** Sets the time of all pending transactions. */
export const movePending = (on: Queryable, to: Temporal.Instant): Promise<unknown> =>
  on.query(sql`update account_transaction set booked_at = ${to} where status = 'Pending'`);
