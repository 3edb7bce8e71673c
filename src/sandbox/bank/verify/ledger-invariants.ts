import type { Invariant } from "#src/storage/invariants.ts";
import { sql } from "#src/storage/sql.ts";

/** The invariants of the ledger as a whole. */
export const wholeLedger: readonly Invariant[] = [
  {
    name: "postings balance",
    breaches: () => sql`select currency, 0, sum(balance_minor) from ledger_account
      group by currency having sum(balance_minor) <> 0`,
  },
];

/** The invariants of each account, its transactions and its statements. */
export const accountInvariants: readonly Invariant[] = [
  {
    name: "the held amount is the sum of the holds",
    breaches: (within) => sql`select a.account_id, coalesce(h.amount, 0), a.held_minor
      from ledger_account a left join (
        select account_id, sum(amount_minor) as amount from hold
        where ${within(sql`account_id`)} group by account_id
      ) h on h.account_id = a.account_id
      where ${within(sql`a.account_id`)} and a.held_minor <> coalesce(h.amount, 0)`,
  },
  {
    name: "a customer's account stays within its limit",
    breaches: (within) => sql`select account_id, 'at least ' || -overdraft_limit_minor,
        (balance_minor - held_minor)::text
      from ledger_account
      where ${within(sql`account_id`)} and kind = 'customer'
        and balance_minor - held_minor < -overdraft_limit_minor`,
  },
  {
    name: "the balances in the account store equal those of the ledger",
    breaches: (within) => sql`select l.account_id,
        format('%s and %s', l.balance_minor, l.available_minor),
        format('%s and %s', b.booked_minor, b.available_minor)
      from (
        select g.account_id, g.currency, g.revision, g.balance_minor, g.balance_minor
          - g.held_minor + case a.account_sub_type
            when 'CreditCard' then g.overdraft_limit_minor else 0 end as available_minor
        from ledger_account g join account a on a.account_id = g.account_id
        where g.kind = 'customer' and ${within(sql`g.account_id`)}
      ) l left join account_balance b
        on b.account_id = l.account_id and b.currency = l.currency
      where (l.balance_minor, l.available_minor, l.revision)
        is distinct from (b.booked_minor, b.available_minor, b.version)`,
  },
  {
    name: "a line of an account is one side of a posting",
    breaches: (within) => sql`select t.transaction_id, t.indicator || ' ' || t.amount_minor,
        'posting ' || coalesce(t.posting_id, 'without id')
      from account_transaction t left join posting p on p.posting_id = t.posting_id
        and p.amount_minor = t.amount_minor and p.currency = t.currency
        and t.account_id = case t.indicator when 'Debit' then p.debit_account_id
          else p.credit_account_id end
      where ${within(sql`t.account_id`)} and t.status = 'Booked'
        and p.posting_id is null`,
  },
  {
    // the opening balance is the first transaction
    name: "the lines of an account add up to its balance",
    breaches: (within) => sql`select a.account_id, a.balance_minor - coalesce(o.amount, 0),
        coalesce(t.amount, 0)
      from ledger_account a
      left join (
        select account_id,
          sum(case indicator when 'Credit' then amount_minor else -amount_minor end) as amount
        from account_transaction where ${within(sql`account_id`)} and status = 'Booked'
        group by account_id
      ) t on t.account_id = a.account_id
      left join (
        select account_id, sum(amount) as amount from (
          select debit_account_id as account_id, -amount_minor as amount from posting
          where purpose = 'opening' and ${within(sql`debit_account_id`)}
          union all select credit_account_id, amount_minor from posting
          where purpose = 'opening' and ${within(sql`credit_account_id`)}
        ) legs group by account_id
      ) o on o.account_id = a.account_id
      where ${within(sql`a.account_id`)} and a.kind = 'customer'
        and a.balance_minor - coalesce(o.amount, 0) <> coalesce(t.amount, 0)`,
  },
  {
    name: "a card's hold is a pending transaction",
    breaches: (within) => sql`select coalesce(h.hold_id, t.transaction_id),
        t.account_id || ' ' || t.amount_minor, h.account_id || ' ' || h.amount_minor
      from (
        select transaction_id, account_id, amount_minor from account_transaction
        where status = 'Pending' and ${within(sql`account_id`)}
      ) t
      full join (
        select hold_id, account_id, amount_minor from hold
        where purpose = 'card' and ${within(sql`account_id`)}
      ) h on h.hold_id = t.transaction_id
      where (t.account_id, t.amount_minor) is distinct from (h.account_id, h.amount_minor)`,
  },
  {
    name: "a statement is the sum of its lines",
    breaches: (within) => sql`select s.statement_id,
        coalesce(t.credits, 0) || ' in and ' || coalesce(t.debits, 0) || ' out',
        s.credits_minor || ' in and ' || s.debits_minor || ' out'
      from account_statement s left join (
        select account_id, date_trunc('month', booked_at, 'UTC') as month,
          sum(amount_minor) filter (where indicator = 'Credit') as credits,
          sum(amount_minor) filter (where indicator = 'Debit') as debits
        from account_transaction where ${within(sql`account_id`)} and status = 'Booked'
        group by account_id, date_trunc('month', booked_at, 'UTC')
      ) t on t.account_id = s.account_id and t.month = s.starts_at
      where ${within(sql`s.account_id`)} and s.ends_at = date_trunc('month', s.ends_at, 'UTC')
        and (s.credits_minor, s.debits_minor) <> (coalesce(t.credits, 0), coalesce(t.debits, 0))`,
  },
  {
    name: "a statement up to the middle of a month is the sum of its lines",
    breaches: (within) => sql`select s.statement_id,
        t.credits || ' in and ' || t.debits || ' out',
        s.credits_minor || ' in and ' || s.debits_minor || ' out'
      from account_statement s cross join lateral (
        select coalesce(sum(amount_minor) filter (where indicator = 'Credit'), 0) as credits,
          coalesce(sum(amount_minor) filter (where indicator = 'Debit'), 0) as debits
        from account_transaction where account_id = s.account_id and status = 'Booked'
          and booked_at >= s.starts_at and booked_at < s.ends_at
      ) t
      where ${within(sql`s.account_id`)} and s.ends_at <> date_trunc('month', s.ends_at, 'UTC')
        and (s.credits_minor, s.debits_minor) <> (t.credits, t.debits)`,
  },
  {
    name: "a statement opens with the closing balance of the previous statement",
    breaches: (within) => sql`select statement_id, before, found from (
        select statement_id,
          lag(ends_at || ' ' || closing_minor) over (partition by account_id order by starts_at)
            as before,
          starts_at || ' ' || opening_minor as found
        from account_statement where ${within(sql`account_id`)}
      ) s where before <> found`,
  },
];
