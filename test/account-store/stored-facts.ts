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

/** A statement to store. Brackets contain the value of an absent member. */
export type GivenStatement = {
  accountId: string;
  statementId: string;
  number: number;
  startsAt: Temporal.Instant;
  endsAt: Temporal.Instant;
  createdAt: Temporal.Instant;
  /** The amounts that it debits, from an opening balance of 0 [none] */
  debits?: readonly bigint[];
  /** [0] */
  limitMinor?: bigint;
  costs?: readonly object[];
  periodName?: string | undefined;
  minimumPaymentMinor?: bigint | undefined;
  /** A time in ISO 8601. */
  paymentDueAt?: string | undefined;
  rates?: readonly object[] | undefined;
};

/** Stores statements without credits. */
export const addStatements = (
  on: Queryable,
  given: readonly GivenStatement[],
): Promise<unknown> => {
  const rows = given.map(({ debits = [], ...row }) => ({
    ...row,
    debitCount: debits.length,
    debitsMinor: debits.reduce((sum, one) => sum + one, 0n),
  }));
  return on.query(sql`
    insert into account_statement (account_id, starts_at, ends_at, statement_id, number, created_at,
      currency, opening_minor, closing_minor, credits_minor, debits_minor, credit_count,
      debit_count, limit_minor, costs, period_name, minimum_payment_minor, payment_due_at, rates)
    select "accountId", "startsAt", "endsAt", "statementId", number, "createdAt", 'GBP', 0,
      -"debitsMinor", 0, "debitsMinor", 0, "debitCount", coalesce("limitMinor", 0),
      coalesce(costs, '[]'::json), "periodName", "minimumPaymentMinor", "paymentDueAt",
      coalesce(rates, '[]'::json)
    from json_to_recordset(${givenRows(rows)}::json) as g("accountId" text,
      "startsAt" timestamptz, "endsAt" timestamptz, "statementId" text, number integer,
      "createdAt" timestamptz, "debitsMinor" bigint, "debitCount" integer, "limitMinor" bigint,
      costs json, "periodName" text, "minimumPaymentMinor" bigint, "paymentDueAt" timestamptz,
      rates json)`);
};

/** Stores active monthly mandates, each with its id and account. */
export const addMandates = (
  on: Queryable,
  given: readonly { id: string; accountId: string }[],
  at: Temporal.Instant,
): Promise<unknown> =>
  on.query(sql`
    insert into direct_debit (direct_debit_id, account_id, mandate_reference, originator_name,
      frequency, status, status_updated_at)
    select id, "accountId", 'mandate', 'Water', 'Monthly', 'Active', ${at}
    from json_to_recordset(${givenRows(given)}::json) as g(id text, "accountId" text)`);

/** Stores a party. */
export const addParty = (
  on: Queryable,
  partyId: string,
  { name, contact }: { name: string; contact: object },
): Promise<unknown> =>
  on.query(sql`
    insert into party (party_id, name, contact)
    values (${partyId}, ${name}, ${JSON.stringify(contact)}::json)`);

/** SQL: changes all mandates, without regard to the rules of their statuses. */
export const setMandates = (set: Sql): Sql => sql`update direct_debit set ${set}`;

/** Stores a pending or booked credit of each account, a second apart. */
export const addCredits = (
  on: Queryable,
  accountIds: readonly string[],
  { status, from }: { status: "Pending" | "Booked"; from: Temporal.Instant },
): Promise<unknown> =>
  on.query(sql`
    insert into account_transaction (account_id, booked_at, transaction_id, indicator, status,
      version, amount_minor, currency)
    select id, ${from}::timestamptz + n * interval '1 second', ${status}::text || n, 'Credit',
      ${status}, 1, 100, 'GBP'
    from unnest(${accountIds}::text[]) with ordinality as a(id, n)`);
