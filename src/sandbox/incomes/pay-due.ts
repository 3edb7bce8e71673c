import { applyChanges } from "#src/account-store/feed.ts";
import type { Counterparty, TransactionFact } from "#src/account-store/transaction.ts";
import { newTransaction, type TransactionType } from "#src/sandbox/bank/transaction-codes.ts";
import { nextCollectionDay } from "#src/sandbox/direct-debits/collection-days.ts";
import { createRandom } from "#src/sandbox/random.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { incomeInstant } from "./income-days.ts";

type DueIncome = {
  incomeId: string;
  accountId: string;
  sourceAccountId: string;
  currency: string;
  frequency: "Daily" | "Weekly" | "Monthly";
  dayOfMonth: number;
  comesBefore: boolean;
  timeOfDay: string;
  leastMinor: bigint;
  mostMinor: bigint;
  transactionType: TransactionType;
  information: string;
  reference: string | null;
  payer: Counterparty | null;
  nextOn: Temporal.PlainDate;
  /** Whether money can be paid into the account. */
  isOpen: boolean;
};

// Incomes per transaction: few, so that locks are short.
const batchSize = 100;

/**
 * Pays the incomes that are due, earliest first, and returns their number. Any number of processes
 * may run this at the same time, and each may die at any point: the transaction that moves the
 * money also sets the income's next day. If the account is not open, nothing is posted and only the
 * next day moves.
 */
export async function payDueIncomes(database: Database, now: Temporal.Instant): Promise<number> {
  return database.transaction(async (on) => {
    const due = await lockDue(on, now);
    if (due.length === 0) return 0;
    const paid = due.map((income) => payOf(income, now));
    await store(on, paid, now);
    return due.length;
  });
}

/** The time of the next income, which may be in the past; null if there is none. */
export async function nextIncomeAt(on: Queryable): Promise<Temporal.Instant | null> {
  const row = await first<{ dueAt: Temporal.Instant | null }>(
    on,
    sql`select min(due_at) as "dueAt" from sandbox_income`,
  );
  return row?.dueAt ?? null;
}

const lockDue = (on: Queryable, now: Temporal.Instant): Promise<DueIncome[]> =>
  on.query<DueIncome>(sql`
    with due as materialized (
      select income_id from sandbox_income
      where due_at <= ${now} order by due_at, income_id limit ${batchSize}
      for update skip locked
    )
    select i.income_id as "incomeId", i.account_id as "accountId",
      i.source_account_id as "sourceAccountId", l.currency, i.frequency,
      i.day_of_month as "dayOfMonth", i.comes_before as "comesBefore",
      i.time_of_day as "timeOfDay", i.least_minor as "leastMinor", i.most_minor as "mostMinor",
      i.transaction_type as "transactionType", i.information, i.reference, i.payer,
      i.next_on as "nextOn", a.status = 'Enabled' as "isOpen"
    from due join sandbox_income i on i.income_id = due.income_id
    join ledger_account l on l.account_id = i.account_id
    join account a on a.account_id = i.account_id
    order by i.due_at, i.income_id`);

/** Makes the posting and the transaction of an income, and calculates the time of the next one. */
function payOf(income: DueIncome, now: Temporal.Instant) {
  const { incomeId, accountId, nextOn, currency, frequency, dayOfMonth } = income;
  const random = createRandom(`${incomeId} ${nextOn}`);
  const amountMinor = BigInt(random.between(Number(income.leastMinor), Number(income.mostMinor)));
  // the id is unique per income and day, so the database refuses a second payment
  const postingId = `post-${incomeId}-${nextOn}`;
  const shown: TransactionFact = {
    ...newTransaction(income.transactionType),
    accountId,
    transactionId: `tx-${incomeId}-${nextOn}`,
    indicator: "Credit",
    status: "Booked",
    bookedAt: now,
    amount: { amountMinor, currency },
    reference: income.reference,
    information: income.information,
    counterparty: income.payer,
    bookingId: postingId,
  };
  const next = nextCollectionDay(nextOn, frequency, dayOfMonth);
  const row = {
    income_id: incomeId,
    posting_id: postingId,
    account_id: accountId,
    source_account_id: income.sourceAccountId,
    amount_minor: amountMinor.toString(),
    currency,
    is_open: income.isOpen,
    next_on: next.toString(),
    due_at: incomeInstant(next, income.timeOfDay, income.comesBefore).toString(),
  };
  return { row, shown };
}

async function store(
  on: Queryable,
  paid: readonly ReturnType<typeof payOf>[],
  now: Temporal.Instant,
): Promise<void> {
  const rows = paid.map(({ row }) => row);
  await on.query(sql`
    with paid as (
      select income_id, posting_id, account_id, source_account_id, amount_minor, currency, is_open,
        next_on, due_at
      from json_to_recordset(${JSON.stringify(rows)}::json) as p(income_id text, posting_id text,
        account_id text, source_account_id text, amount_minor bigint, currency text,
        is_open boolean, next_on date, due_at timestamptz)
    ), booked as (
      insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
        booked_at, purpose)
      select posting_id, source_account_id, account_id, amount_minor, currency, ${now}, 'income'
      from paid where is_open
    )
    update sandbox_income i set next_on = p.next_on, due_at = p.due_at
    from paid p where i.income_id = p.income_id`);
  const shown = paid.filter(({ row }) => row.is_open).map((each) => each.shown);
  await applyChanges(on, { transactions: shown });
}
