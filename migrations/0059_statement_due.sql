-- Which account's month is closed next: the sweep looks at those that are due, not at every account.

alter table account
  -- when the statement of the account's next month is made; null before its first line
  add column statement_due_at timestamptz;
create index account_statement_due on account (statement_due_at, account_id)
  where statement_due_at is not null;

-- The bank closes a month at six in the morning of the next one's first day (UTC).
create function statement_due_after(month_start timestamptz) returns timestamptz
language sql stable return
  date_trunc('month', month_start + interval '40 days', 'UTC') + interval '6 hours';

update account a set statement_due_at = statement_due_after(coalesce(
  (select max(s.ends_at) from account_statement s where s.account_id = a.account_id),
  date_trunc('month', a.history_from, 'UTC')))
where a.history_from is not null;

create or replace function account_history_grows() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  accounts text[];
  firsts timestamptz[];
  known integer;
begin
  select array_agg(account_id), array_agg(first_booked_at) into accounts, firsts from (
    select account_id, min(booked_at) as first_booked_at from new_entry group by account_id
  ) grown;
  if accounts is null then return null; end if;
  select count(*) into known from account where account_id = any(accounts);
  if known <> cardinality(accounts) then
    raise exception 'an entry is of an account that there is' using errcode = '23503';
  end if;
  update account a set history_from = m.first_booked_at,
    statement_due_at = case
      when exists (select from account_statement s where s.account_id = a.account_id)
      then a.statement_due_at
      else statement_due_after(date_trunc('month', m.first_booked_at, 'UTC')) end
  from unnest(accounts, firsts) as m(account_id, first_booked_at)
  where a.account_id = m.account_id
    and (a.history_from is null or a.history_from > m.first_booked_at);
  return null;
end $body$;

-- Makes the due statements of the accounts that are named, each once, whoever else does it at the
-- same time: of every month that has ended and in which or before which the account has a line. A
-- month with a line that is still pending waits. Gives how many were made.
drop function make_statements(timestamptz, text);
create function make_statements(at_time timestamptz, given text[])
returns integer language plpgsql
set enable_seqscan = off as $body$
declare
  this_month timestamptz := date_trunc('month', at_time, 'UTC');
  made integer;
begin
  -- the bank closes a month at six in the morning of the next one's first day
  if at_time < this_month + interval '6 hours' then
    this_month := date_trunc('month', this_month - interval '1 day', 'UTC');
  end if;
  with started as materialized (
    select a.account_id, a.currency,
      date_trunc('month', a.history_from, 'UTC') as first_month,
      (select max(s.ends_at) from account_statement s where s.account_id = a.account_id) as closed
    from account a
    where a.account_id = any(given)
  ), due as materialized (
    select d.account_id, d.currency, d.first_month, coalesce(d.closed, d.first_month) as from_time,
      least(this_month, (
        select date_trunc('month', min(p.booked_at), 'UTC') from account_transaction p
        where p.account_id = d.account_id and p.status = 'Pending' and p.booked_at < this_month
      )) as until_time
    from started d
    where coalesce(d.closed, d.first_month) < this_month
  ), sums as (
    select t.account_id, date_trunc('month', t.booked_at, 'UTC') as month,
      coalesce(sum(t.amount_minor) filter (where t.indicator = 'Credit'), 0)::bigint as credits,
      coalesce(sum(t.amount_minor) filter (where t.indicator = 'Debit'), 0)::bigint as debits,
      count(*) filter (where t.indicator = 'Credit')::integer as credit_count,
      count(*) filter (where t.indicator = 'Debit')::integer as debit_count
    from due d join account_transaction t on t.account_id = d.account_id
      and t.booked_at >= d.from_time and t.booked_at < d.until_time
    where t.status = 'Booked'
    group by t.account_id, date_trunc('month', t.booked_at, 'UTC')
  ), cost as (
    select account_id, month, json_agg(json_build_object('type', type, 'indicator', indicator,
        'text', text, 'amount', amount_minor::text) order by booked_at, transaction_id) as costs
    from (
      select t.account_id, date_trunc('month', t.booked_at, 'UTC') as month, t.indicator,
        t.amount_minor, t.booked_at, t.transaction_id,
        ('{' || t.basic_members || '}')::json
          ->'ProprietaryBankTransactionCode'->>'Code' as type,
        ('{' || t.detail_members || '}')::json->>'TransactionInformation' as text
      from due d join account_transaction t on t.account_id = d.account_id
        and t.booked_at >= d.from_time and t.booked_at < d.until_time
      -- only few lines are the bank's own: the rest need not be parsed
      where t.status = 'Booked' and (position('"SubCode":"Charges"' in t.basic_members) > 0
        or position('"SubCode":"Interest"' in t.basic_members) > 0)
    ) own group by account_id, month
  ), month as (
    select d.account_id, d.currency, d.first_month, d.from_time, starts.at as starts_at,
      date_trunc('month', starts.at + interval '40 days', 'UTC') as ends_at
    from due d
    cross join lateral generate_series(d.from_time at time zone 'UTC',
      (d.until_time - interval '1 day') at time zone 'UTC', interval '1 month') as first_day(at)
    cross join lateral (select first_day.at at time zone 'UTC' as at) starts
  ), opening as materialized (
    -- what the account had when the first of them began: the balance less all that came since
    select d.account_id, l.balance_minor - coalesce((
        select sum(case t.indicator when 'Credit' then t.amount_minor else -t.amount_minor end)
        from account_transaction t
        where t.account_id = d.account_id and t.booked_at >= d.from_time and t.status = 'Booked'
      ), 0)::bigint as balance, l.overdraft_limit_minor
    from due d join ledger_account l on l.account_id = d.account_id
  )
  insert into account_statement (account_id, starts_at, ends_at, statement_id, number, created_at,
    currency, opening_minor, closing_minor, credits_minor, debits_minor, credit_count, debit_count,
    limit_minor, costs)
  select m.account_id, m.starts_at, m.ends_at,
    'st-' || md5(m.account_id || to_char(m.starts_at at time zone 'UTC', ' YYYY-MM')),
    ((extract(year from age(m.starts_at at time zone 'UTC', m.first_month at time zone 'UTC')) * 12)
      + extract(month from age(m.starts_at at time zone 'UTC', m.first_month at time zone 'UTC'))
    )::integer + 1,
    m.ends_at + interval '6 hours', m.currency,
    o.balance + coalesce(sum(s.credits - s.debits) over (
      partition by m.account_id order by m.starts_at rows between unbounded preceding
      and 1 preceding), 0)::bigint,
    o.balance + coalesce(sum(s.credits - s.debits) over (
      partition by m.account_id order by m.starts_at), 0)::bigint,
    coalesce(s.credits, 0), coalesce(s.debits, 0), coalesce(s.credit_count, 0),
    coalesce(s.debit_count, 0), o.overdraft_limit_minor, coalesce(c.costs, '[]')
  from month m
  join opening o on o.account_id = m.account_id
  left join sums s on s.account_id = m.account_id and s.month = m.starts_at
  left join cost c on c.account_id = m.account_id and c.month = m.starts_at
  on conflict do nothing;
  get diagnostics made = row_count;
  update account a set statement_due_at = n.due_at
  from (
    select s.account_id, statement_due_after(coalesce(
      (select max(m.ends_at) from account_statement m where m.account_id = s.account_id),
      date_trunc('month', s.history_from, 'UTC'))) as due_at
    from account s where s.account_id = any(given) and s.history_from is not null
  ) n
  where a.account_id = n.account_id and a.statement_due_at is distinct from n.due_at;
  return made;
end $body$;

-- Card purchases are booked by the day on which they fall due: whoever does it looks at no others.
create index account_transaction_pending_due on account_transaction (booked_at)
  where status = 'Pending';
