-- Room: sandbox. One function makes the monthly statements and those that testers ask for. The latter
-- are about a time that has not ended, so a booking in that time withdraws them.

-- Until when testers have a statement of the account; null if they have never asked for one. Whoever
-- books locks the row, and sees it.
alter table ledger_account add column stated_until timestamptz;

-- As before. It also withdraws what testers were told about the time of a posting.
create or replace function posting_moves_balances() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  payments text[];
  accounts text[];
  currencies text[];
  amounts numeric[];
  releases numeric[];
  at_time timestamptz;
  first_time timestamptz;
  moved_accounts integer;
  changed account_balance[];
  stated text[];
begin
  select array_agg(payment_id) filter (where payment_id is not null), max(booked_at), min(booked_at)
  into payments, at_time, first_time from new_posting;
  with released as (
    delete from hold where hold_id = any(payments) returning account_id, amount_minor
  )
  select array_agg(account_id), array_agg(currency), array_agg(amount), array_agg(released)
  into accounts, currencies, amounts, releases
  from (
    select account_id, case when min(currency) = max(currency) then min(currency) end as currency,
      sum(amount) as amount, sum(released) as released
    from (
      select debit_account_id as account_id, currency, -amount_minor as amount, 0 as released
      from new_posting
      union all
      select credit_account_id, currency, amount_minor, 0 from new_posting
      union all
      select account_id, null, 0, amount_minor from released
    ) legs group by account_id order by account_id
  ) sums;
  if accounts is null then return null; end if;
  with moved as (
    update ledger_account a set balance_minor = a.balance_minor + m.amount,
      held_minor = a.held_minor - m.released, revision = a.revision + 1
    from unnest(accounts, currencies, amounts, releases)
      as m(account_id, currency, amount, released)
    where a.account_id = m.account_id and a.currency = m.currency
    returning a.account_id, a.kind, a.stated_until, balances_of(a, at_time) as balances
  )
  select count(*), array_agg(balances) filter (where kind = 'customer'),
    array_agg(account_id) filter (where stated_until > first_time)
  into moved_accounts, changed, stated from moved;
  if moved_accounts <> cardinality(accounts) then
    raise exception 'the accounts of a posting must exist and have its currency' using errcode = '23514';
  end if;
  perform feed_balances(changed);
  if stated is not null then perform withdraw_interim_statements(stated, first_time); end if;
  return null;
end $body$;

drop function due_statements(timestamptz, text[]);

-- Returns the due statements of the given accounts: one for every month that has ended, starting
-- with the account's first transaction. A month with a pending transaction waits. With the id of an
-- interim statement, returns one statement with this id, of the time since the last statement and
-- before at_time.
create function sandbox_statements(at_time timestamptz, given text[], interim text default null)
returns table (statement json) language plpgsql stable
set enable_seqscan = off as $body$
declare
  last_end timestamptz := at_time;
begin
  if interim is null then
    last_end := date_trunc('month', at_time, 'UTC');
    -- the bank closes a month at 06:00 UTC on the first day of the next month
    if at_time < last_end + interval '6 hours' then
      last_end := date_trunc('month', last_end - interval '1 day', 'UTC');
    end if;
  end if;
  return query with started as materialized (
    select a.account_id, a.currency, a.account_sub_type,
      (select p.purchase_rate from product p where p.product_id = a.product_id) as purchase_rate,
      date_trunc('month', a.history_from, 'UTC') as first_month,
      coalesce(
        (select max(s.ends_at) from account_statement s where s.account_id = a.account_id),
        date_trunc('month', a.history_from, 'UTC')) as from_time
    from account a
    where a.account_id = any(given)
  ), due as materialized (
    select d.*, case when interim is not null then last_end else least(last_end, (
        select date_trunc('month', min(p.booked_at), 'UTC') from account_transaction p
        where p.account_id = d.account_id and p.status = 'Pending' and p.booked_at < last_end
      )) end as until_time
    from started d
    where d.from_time < last_end
  ), period as materialized (
    select d.*, d.from_time as starts_at, last_end as ends_at,
      last_end as created_at, interval '1 day' as further
    from due d where interim is not null
    union all
    select d.*, starts.at, ends.at, ends.at + interval '6 hours', interval '0'
    from due d
    cross join lateral generate_series(d.from_time at time zone 'UTC',
      (d.until_time - interval '1 day') at time zone 'UTC', interval '1 month') as first_day(at)
    cross join lateral (select first_day.at at time zone 'UTC' as at) starts
    cross join lateral (
      select date_trunc('month', starts.at + interval '40 days', 'UTC') as at) ends
    where interim is null
  ), opening as materialized (
    -- the balance at the start of the first due period: the current balance less everything since
    select d.account_id, l.balance_minor - coalesce((
        select sum(case t.indicator when 'Credit' then t.amount_minor else -t.amount_minor end)
        from account_transaction t
        where t.account_id = d.account_id and t.booked_at >= d.from_time and t.status = 'Booked'
      ), 0)::bigint as balance, l.overdraft_limit_minor
    from due d join ledger_account l on l.account_id = d.account_id
  ), due_statement as (
    select p.*,
      (extract(year from g.age) * 12 + extract(month from g.age))::integer + 1 as number,
      o.balance + coalesce(sum(s.credits - s.debits) over (
        partition by p.account_id order by p.starts_at rows between unbounded preceding
        and 1 preceding), 0)::bigint as opening,
      o.balance + (sum(s.credits - s.debits) over (
        partition by p.account_id order by p.starts_at))::bigint as closing,
      s.*, o.overdraft_limit_minor, c.costs
    from period p
    cross join lateral (select age(p.starts_at at time zone 'UTC',
      p.first_month at time zone 'UTC') as age) g
    join opening o on o.account_id = p.account_id
    cross join lateral (
      select coalesce(sum(t.amount_minor) filter (where t.indicator = 'Credit'), 0)::bigint
          as credits,
        coalesce(sum(t.amount_minor) filter (where t.indicator = 'Debit'), 0)::bigint as debits,
        count(*) filter (where t.indicator = 'Credit')::integer as credit_count,
        count(*) filter (where t.indicator = 'Debit')::integer as debit_count
      from account_transaction t
      where t.account_id = p.account_id and t.booked_at >= p.starts_at
        and t.booked_at < p.ends_at and t.status = 'Booked'
    ) s
    cross join lateral (
      select coalesce(json_agg(json_build_object('type', t.bank_code, 'indicator', t.indicator,
          'text', t.information, 'amount', t.amount_minor::text,
          'code', sandbox_cost_code(t.bank_code, m.is_monthly, p.account_sub_type),
          'frequency', sandbox_cost_frequency(t.bank_code, m.is_monthly))
          order by t.booked_at, t.transaction_id), '[]') as costs
      from account_transaction t
      cross join lateral (select exists (
        select from posting b
        where b.posting_id = t.posting_id and b.purpose = 'monthly-charge') as is_monthly) m
      -- the bank's own transactions: charges and interest
      where t.account_id = p.account_id and t.booked_at >= p.starts_at
        and t.booked_at < p.ends_at and t.status = 'Booked'
        and split_part(t.iso_code, '-', 3) in ('CHRG', 'INTR')
    ) c
  )
  select json_build_object('accountId', s.account_id,
    'statementId', coalesce(interim,
      'st-' || md5(s.account_id || to_char(s.starts_at at time zone 'UTC', ' YYYY-MM'))),
    'number', s.number, 'startsAt', s.starts_at, 'endsAt', s.ends_at, 'createdAt', s.created_at,
    'periodName', sandbox_period_name(s.starts_at, s.ends_at + s.further),
    'currency', s.currency, 'opening', s.opening::text, 'closing', s.closing::text,
    'credits', s.credits::text, 'debits', s.debits::text,
    'creditCount', s.credit_count, 'debitCount', s.debit_count,
    'limit', s.overdraft_limit_minor::text, 'costs', s.costs,
    'minimumPayment', sandbox_minimum_payment(s.account_sub_type, s.closing)::text,
    'paymentDueAt', sandbox_payment_due(s.account_sub_type, s.closing, s.ends_at),
    'rates', sandbox_card_rates(s.purchase_rate))
  from due_statement s;
end $body$;
