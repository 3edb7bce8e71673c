import { applyChanges } from "#src/account-store/feed.ts";
import { newId } from "#src/lib/ids.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type DueStatement, lockStatements, removeInterim, toFact } from "./statements.ts";

/**
 * Makes the statement of an account up to now: of what was booked since the last month that has a
 * statement, and before this moment. It replaces an earlier one of the same month, and the month's
 * own statement replaces it. Returns its id; null if the account has no such time or is unknown.
 */
export function makeStatementNow(
  database: Database,
  accountId: string,
  now: Temporal.Instant,
): Promise<string | null> {
  return database.transaction(async (on) => {
    await lockStatements(on);
    await removeInterim(on, [accountId], now);
    const statement = await calculate(on, accountId, now);
    if (!statement) return null;
    await applyChanges(on, { statements: [toFact(statement)] });
    return statement.statementId;
  });
}

async function calculate(
  on: Queryable,
  accountId: string,
  now: Temporal.Instant,
): Promise<DueStatement | undefined> {
  const row = await first<{ statement: DueStatement }>(
    on,
    sql`
    with own as materialized (
      select a.account_id, a.currency, a.account_sub_type, l.balance_minor,
        l.overdraft_limit_minor,
        (select p.purchase_rate from product p where p.product_id = a.product_id) as purchase_rate,
        date_trunc('month', a.history_from, 'UTC') as first_month,
        coalesce(
          (select max(s.ends_at) from account_statement s where s.account_id = a.account_id),
          date_trunc('month', a.history_from, 'UTC')) as starts_at
      from account a
      join (select account_id, balance_minor, overdraft_limit_minor from ledger_account
        where account_id = ${accountId} for update) l on l.account_id = a.account_id
    ), line as materialized (
      select t.transaction_id, t.indicator, t.amount_minor, t.booked_at, t.bank_code as type,
        t.information as text, t.booked_at < ${now} as is_before,
        split_part(t.iso_code, '-', 3) in ('CHRG', 'INTR') as is_cost,
        exists (select from posting p where p.posting_id = t.posting_id
          and p.purpose = 'monthly-charge') as is_monthly
      from account_transaction t join own o on o.account_id = t.account_id
      where t.status = 'Booked' and t.booked_at >= o.starts_at
    ), sums as (
      select coalesce(sum(amount_minor) filter (where is_before and indicator = 'Credit'), 0)
          as credits,
        coalesce(sum(amount_minor) filter (where is_before and indicator = 'Debit'), 0) as debits,
        count(*) filter (where is_before and indicator = 'Credit') as credit_count,
        count(*) filter (where is_before and indicator = 'Debit') as debit_count,
        coalesce(sum(case indicator when 'Credit' then amount_minor else -amount_minor end)
          filter (where not is_before), 0) as later
      from line
    ), statement as (
      select o.*, s.credits, s.debits, s.credit_count, s.debit_count,
        (o.balance_minor - s.later)::bigint as closing,
        extract(year from g.age) * 12 + extract(month from g.age) + 1 as number,
        (select coalesce(json_agg(json_build_object('type', c.type, 'indicator', c.indicator,
            'text', c.text, 'amount', c.amount_minor::text,
            'code', sandbox_cost_code(c.type, c.is_monthly, o.account_sub_type),
            'frequency', sandbox_cost_frequency(c.type, c.is_monthly))
            order by c.booked_at, c.transaction_id), '[]')
          from line c where c.is_cost and c.is_before) as costs
      from own o cross join sums s
      cross join lateral (select age(o.starts_at at time zone 'UTC',
        o.first_month at time zone 'UTC') as age) g
      where o.starts_at < ${now}
    )
    select json_build_object('accountId', account_id, 'statementId', ${newId("st")}::text,
      'number', number::integer, 'startsAt', starts_at, 'endsAt', ${now}::timestamptz,
      'createdAt', ${now}::timestamptz,
      'periodName', sandbox_period_name(starts_at, ${now.add({ hours: 24 })}),
      'currency', currency, 'opening', (closing - credits + debits)::text,
      'closing', closing::text, 'credits', credits::text, 'debits', debits::text,
      'creditCount', credit_count, 'debitCount', debit_count,
      'limit', overdraft_limit_minor::text, 'costs', costs,
      'minimumPayment', sandbox_minimum_payment(account_sub_type, closing)::text,
      'paymentDueAt', sandbox_payment_due(account_sub_type, closing, ${now}),
      'rates', sandbox_card_rates(purchase_rate)) as statement
    from statement`,
  );
  return row?.statement;
}
