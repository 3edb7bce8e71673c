import { returnName } from "#src/sandbox/bank/postings.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import { givenRows } from "#test/given-rows.ts";

/** A ledger account to open. Brackets contain the value of an absent member. */
export type GivenLedgerAccount = {
  accountId: string;
  /** [`customer`] */
  kind?: "customer" | "internal";
  /** [`GBP`] */
  currency?: string;
  /** [0] */
  balanceMinor?: bigint | undefined;
  /** [0] */
  heldMinor?: bigint | undefined;
  /** [0] */
  limitMinor?: bigint | undefined;
};

/** Opens ledger accounts. */
export const addLedgerAccounts = (
  on: Queryable,
  given: readonly GivenLedgerAccount[],
): Promise<unknown> =>
  on.query(sql`
    insert into ledger_account (account_id, kind, currency, balance_minor, held_minor,
      overdraft_limit_minor)
    select "accountId", coalesce(kind, 'customer'), coalesce(currency, 'GBP'),
      coalesce("balanceMinor", 0), coalesce("heldMinor", 0), coalesce("limitMinor", 0)
    from json_to_recordset(${givenRows(given)}::json) as g("accountId" text, kind text,
      currency text, "balanceMinor" bigint, "heldMinor" bigint, "limitMinor" bigint)`);

/** Returns the booked and the held amount of an account, in pence. */
export async function fundsIn(
  on: Queryable,
  accountId: string,
): Promise<{ balanceMinor: bigint; heldMinor: bigint } | undefined> {
  const [row] = await on.query<{ balanceMinor: bigint; heldMinor: bigint }>(sql`
    select balance_minor as "balanceMinor", held_minor as "heldMinor" from ledger_account
    where account_id = ${accountId}`);
  return row;
}

/** Returns the sum of the balances of all accounts of a kind, in pence. */
export async function sumOfBalances(on: Queryable, kind: "customer" | "internal"): Promise<bigint> {
  const [row] = await on.query<{ sum: string }>(sql`
    select sum(balance_minor)::text as sum from ledger_account where kind = ${kind}`);
  return BigInt(row?.sum ?? 0);
}

/** Adds a penny to the balance of a customer's account, without a posting. */
export const breakBalance = (on: Queryable): Promise<unknown> =>
  on.query(sql`
    update ledger_account set balance_minor = balance_minor + 1
    where account_id = (select min(account_id) from ledger_account where kind = 'customer')`);

/** A posting to make. Brackets contain the value of an absent member. */
export type GivenPosting = {
  postingId: string;
  /** The account that is debited. */
  from: string;
  /** The account that is credited. */
  to: string;
  amountMinor: bigint;
  /** [`GBP`] */
  currency?: string;
  /** [now] */
  bookedAt?: Temporal.Instant;
  /** [`opening`] */
  purpose?: string;
};

/** Makes postings, in the given order. */
export const addPostings = (on: Queryable, given: readonly GivenPosting[]): Promise<unknown> =>
  on.query(sql`
    insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
      booked_at, purpose)
    select "postingId", "from", "to", "amountMinor", coalesce(currency, 'GBP'),
      coalesce("bookedAt", now()), coalesce(purpose, 'opening')
    from json_to_recordset(${givenRows(given)}::json) as g("postingId" text, "from" text,
      "to" text, "amountMinor" bigint, currency text, "bookedAt" timestamptz, purpose text)`);

/** A posting as it is stored. */
export type StoredPosting = {
  postingId: string;
  paymentId: string | null;
  purpose: string;
  from: string;
  to: string;
  amountMinor: bigint;
};

const postings = sql`
  select posting_id as "postingId", payment_id as "paymentId", purpose,
    debit_account_id as "from", credit_account_id as "to", amount_minor as "amountMinor"
  from posting`;

/** Returns the postings of payments. */
export const postingsOf = (
  on: Queryable,
  paymentIds: readonly string[],
): Promise<StoredPosting[]> =>
  on.query<StoredPosting>(sql`${postings} where payment_id = any(${paymentIds}::text[])`);

/** Returns the postings with which money came back for settled payments. */
export const returnsOf = (
  on: Queryable,
  paymentIds: readonly string[],
): Promise<(StoredPosting & { paymentId: string })[]> =>
  on.query<StoredPosting & { paymentId: string }>(sql`
    select p.posting_id as "postingId", i.id as "paymentId", p.purpose,
      p.debit_account_id as "from", p.credit_account_id as "to", p.amount_minor as "amountMinor"
    from unnest(${paymentIds}::text[]) as i(id)
    join posting p on p.posting_id = 'post-' || ${returnName}::text || i.id`);

/** Returns the payments for which money is held. */
export const paymentsOnHold = async (
  on: Queryable,
  paymentIds: readonly string[],
): Promise<string[]> =>
  (
    await on.query<{ id: string }>(
      sql`select hold_id as id from hold where hold_id = any(${paymentIds}::text[])`,
    )
  ).map(({ id }) => id);

/** Returns the postings with a purpose. */
export const postingsFor = (on: Queryable, purpose: string): Promise<StoredPosting[]> =>
  on.query<StoredPosting>(sql`${postings} where purpose = ${purpose}`);

/** SQL: joins each transaction `t` with its posting `p`. For statements of other rooms' tests. */
export const withPosting: Sql = sql`join posting p on p.posting_id = t.posting_id`;

/** Returns how many amounts are held. */
export const countHolds = async (on: Queryable): Promise<number> =>
  (await on.query(sql`select 1 from hold`)).length;

/** What the bank has made of a payment. */
export type PricedPayment = {
  paymentId: string;
  amountMinor: bigint;
  chargeMinor: bigint;
  transferMinor: bigint | null;
  rate: string | null;
};

/** Returns what the bank has made of payments. */
export const pricedPayments = (
  on: Queryable,
  paymentIds: readonly string[],
): Promise<PricedPayment[]> =>
  on.query<PricedPayment>(sql`
    select payment_id as "paymentId", amount_minor as "amountMinor",
      charge_minor as "chargeMinor", transfer_minor as "transferMinor", exchange_rate as rate
    from bank_payment where payment_id = any(${paymentIds}::text[])`);

/** Changes the charge that the bank has noted for a payment, without a posting. */
export const setBankCharge = (
  on: Queryable,
  paymentId: string,
  chargeMinor: bigint,
): Promise<unknown> =>
  on.query(sql`
    update bank_payment set charge_minor = ${chargeMinor} where payment_id = ${paymentId}`);

/** Makes the bank forget payments. */
export const forgetPayments = (on: Queryable, paymentIds: readonly string[]): Promise<unknown> =>
  on.query(sql`delete from bank_payment where payment_id = any(${paymentIds}::text[])`);

/** A contract about the rate of a customer's payments in euros. */
export type GivenContract = {
  id: string;
  account: string;
  rate: string;
  amountMinor: bigint;
  /** A time in ISO 8601. */
  expires: string;
};

/** Stores a contract that is agreed now. */
export const addContract = (on: Queryable, given: GivenContract): Promise<unknown> =>
  on.query(sql`
    insert into exchange_contract (contract_id, account_id, unit_currency, other_currency, rate,
      amount_minor, agreed_at, expires_at)
    values (${given.id}, ${given.account}, 'GBP', 'EUR', ${given.rate}::numeric,
      ${given.amountMinor}, now(), ${given.expires})`);

/** Returns all postings of an account. */
export const postingsOn = (on: Queryable, accountId: string): Promise<StoredPosting[]> =>
  on.query<StoredPosting>(sql`
    ${postings} where debit_account_id = ${accountId} or credit_account_id = ${accountId}`);

/** Returns the end-to-end ids that begin with a text, once for each payment that was made. */
export const paidIdsOf = async (on: Queryable, begin: string): Promise<string[]> =>
  (
    await on.query<{ id: string }>(sql`
      select end_to_end_id as id from bank_payment
      where starts_with(end_to_end_id, ${begin}) and state in ('pending', 'settled')`)
  ).map(({ id }) => id);
