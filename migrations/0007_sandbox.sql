-- Room: sandbox. What else only a sandbox has: customers and their logins, its clock, seed,
-- certificates, incomes, and the terms of statements.

create table customer (
  customer_id text primary key,
  login text not null unique,
  name text not null,
  kind text not null check (kind in ('personal', 'business')),
  -- scrypt$N$r$p$salt$hash, base64url
  password_hash text not null,
  -- in base 32
  totp_secret text not null
);

-- The answers to a challenge. A challenge that nobody has answered has no row: its id has its facts.
create table sandbox_challenge (
  challenge_id text primary key,
  tries integer not null,
  used_at timestamptz,
  expires_at timestamptz not null
);
create index sandbox_challenge_expiry on sandbox_challenge (expires_at);

create table sandbox_clock (
  singleton boolean primary key default true check (singleton),
  -- how far the bank's clock is ahead of the machine's
  offset_milliseconds bigint not null default 0 check (offset_milliseconds >= 0)
);
insert into sandbox_clock default values;

create table sandbox_seed (
  name text primary key,
  seeded_at timestamptz not null
);

-- The newest certificates of the TPPs that the sandbox's directory created. Their private keys are
-- not stored: a renewed certificate has the same public key.
create table sandbox_certificate (
  client_id text not null references client,
  use text not null check (use in ('client', 'signing')),
  certificate_pem text not null,
  ends_at timestamptz not null,
  -- SHA-256 of the root that issued the certificate: a directory renews only its own certificates
  authority text not null,
  primary key (client_id, use)
);
create index sandbox_certificate_end on sandbox_certificate (authority, ends_at);

-- The certificates of TPPs that the sandbox's directory has revoked, including replaced ones.
create table sandbox_revoked_certificate (
  -- upper-case hexadecimal
  serial text primary key,
  client_id text not null,
  revoked_at timestamptz not null
);

-- Regular income from outside the bank, such as wages. The sandbox pays it as time passes, so that
-- there is enough money for collections.
create table sandbox_income (
  income_id text primary key,
  account_id text not null references account,
  -- the ledger account that pays the income
  source_account_id text not null references ledger_account,
  frequency text not null check (frequency in ('Daily', 'Weekly', 'Monthly')),
  day_of_month integer not null check (day_of_month between 1 and 31),
  -- if the day is not a working day: whether the income arrives on the working day before
  comes_before boolean not null,
  -- time of day in UTC, such as '09:42'
  time_of_day text not null,
  least_minor bigint not null check (least_minor > 0),
  most_minor bigint not null check (most_minor >= least_minor),
  -- how the account shows it: `TransactionType`, text, reference and payer
  transaction_type text not null,
  information text not null,
  reference text,
  payer json,
  -- the day of the next payment
  next_on date not null,
  due_at timestamptz not null
);
create index sandbox_income_due on sandbox_income (due_at);

-- The sandbox's statement terms. Another bank replaces these functions.

-- 2.5% of the debt or 5.00, whichever is greater, but never more than the debt
create function sandbox_minimum_payment(account_sub_type text, closing bigint)
returns bigint language sql immutable return case
  when account_sub_type <> 'CreditCard' then null
  when closing >= 0 then 0
  else least(greatest((999 - closing * 25) / 1000, 500), -closing) end;

create function sandbox_payment_due(account_sub_type text, closing bigint, ends_at timestamptz)
returns timestamptz language sql stable return case
  when sandbox_minimum_payment(account_sub_type, closing) > 0
  then ends_at + interval '576 hours' end;

create function sandbox_period_name(starts_at timestamptz, ends_at timestamptz)
returns text language sql stable return
  to_char(starts_at at time zone 'UTC', 'FMDD') || ' to '
    || to_char(ends_at at time zone 'UTC' - interval '1 day', 'FMDD FMMonth YYYY');

create function sandbox_card_rates(yearly text)
returns json language sql stable return case when yearly is null then '[]'::json
  else json_build_array(
    json_build_object('type', 'UK.OBIE.AnnualPurchase', 'rate', yearly),
    json_build_object('type', 'UK.OBIE.MonthlyPurchase',
      'rate', trim_scale(round(yearly::numeric / 12, 4))::text)) end;

create function sandbox_cost_code(type text, is_monthly boolean, account_sub_type text)
returns text language sql immutable return case
  when type <> 'CHG' then
    case account_sub_type when 'CreditCard' then 'UK.OBIE.Purchase' else 'UK.OBIE.Total' end
  when is_monthly then 'UK.OBIE.Monthly'
  else 'GB.Aldgate.Service' end;

create function sandbox_cost_frequency(type text, is_monthly boolean)
returns text language sql immutable return case
  when type <> 'CHG' then 'UK.OBIE.Monthly'
  when is_monthly then 'UK.OBIE.StatementMonthly' end;

-- When the sandbox next looks for statements to make for an account: immediately after the account
-- is opened, and later whenever a month closes.
create table sandbox_statement_due (
  account_id text primary key references account,
  due_at timestamptz not null
);
create index sandbox_statement_due_at on sandbox_statement_due (due_at, account_id);

create function sandbox_first_statement() returns trigger language plpgsql as $body$
begin
  insert into sandbox_statement_due (account_id, due_at)
  select account_id, 'epoch' from new_account where kind = 'customer';
  return null;
end $body$;
create trigger sandbox_first_statement after insert on ledger_account
  referencing new table as new_account
  for each statement execute function sandbox_first_statement();

-- The bank closes the month of a moment at 06:00 UTC on the first day of the next month.
create function sandbox_statement_due_after(moment timestamptz) returns timestamptz
language sql stable return
  date_trunc('month', date_trunc('month', moment, 'UTC') + interval '40 days', 'UTC')
    + interval '6 hours';

-- Sets the next time for the given accounts, after their due statements have been made. It is the
-- end of the first month without a statement, starting with the month of the first transaction. An
-- account without transactions waits for the end of this month.
create function sandbox_next_statement(at_time timestamptz, given text[]) returns void
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  update sandbox_statement_due d set due_at = next.due_at
  from (
    select a.account_id, sandbox_statement_due_after(coalesce(
      (select max(s.ends_at) from account_statement s where s.account_id = a.account_id),
      least(a.history_from, at_time))) as due_at
    from account a where a.account_id = any(given)
  ) next
  where d.account_id = next.account_id and d.due_at < next.due_at;
end $body$;

-- Returns the due statements of the given accounts: one for every month that has ended, starting
-- with the account's first transaction. A month with a pending transaction waits.
create function due_statements(at_time timestamptz, given text[])
returns table (statement json) language plpgsql stable
set enable_seqscan = off as $body$
declare
  this_month timestamptz := date_trunc('month', at_time, 'UTC');
begin
  -- the bank closes a month at 06:00 UTC on the first day of the next month
  if at_time < this_month + interval '6 hours' then
    this_month := date_trunc('month', this_month - interval '1 day', 'UTC');
  end if;
  return query with started as materialized (
    select a.account_id, a.currency, a.account_sub_type,
      (select p.purchase_rate from product p where p.product_id = a.product_id) as purchase_rate,
      date_trunc('month', a.history_from, 'UTC') as first_month,
      (select max(s.ends_at) from account_statement s where s.account_id = a.account_id) as closed
    from account a
    where a.account_id = any(given)
  ), due as materialized (
    select d.account_id, d.currency, d.account_sub_type, d.purchase_rate, d.first_month,
      coalesce(d.closed, d.first_month) as from_time,
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
        'text', text, 'amount', amount_minor::text,
        'code', sandbox_cost_code(type, is_monthly, account_sub_type),
        'frequency', sandbox_cost_frequency(type, is_monthly))
        order by booked_at, transaction_id) as costs
    from (
      select t.account_id, d.account_sub_type, date_trunc('month', t.booked_at, 'UTC') as month,
        t.indicator, t.amount_minor, t.booked_at, t.transaction_id,
        t.bank_code as type, t.information as text,
        exists (
          select from posting p
          where p.posting_id = t.posting_id and p.purpose = 'monthly-charge') as is_monthly
      from due d join account_transaction t on t.account_id = d.account_id
        and t.booked_at >= d.from_time and t.booked_at < d.until_time
      -- the bank's own transactions: charges and interest
      where t.status = 'Booked' and split_part(t.iso_code, '-', 3) in ('CHRG', 'INTR')
    ) own group by account_id, month
  ), month as (
    select d.account_id, d.currency, d.account_sub_type, d.purchase_rate, d.first_month,
      d.from_time, starts.at as starts_at,
      date_trunc('month', starts.at + interval '40 days', 'UTC') as ends_at
    from due d
    cross join lateral generate_series(d.from_time at time zone 'UTC',
      (d.until_time - interval '1 day') at time zone 'UTC', interval '1 month') as first_day(at)
    cross join lateral (select first_day.at at time zone 'UTC' as at) starts
  ), opening as materialized (
    -- the balance at the start of the first due month: the current balance less everything since
    select d.account_id, l.balance_minor - coalesce((
        select sum(case t.indicator when 'Credit' then t.amount_minor else -t.amount_minor end)
        from account_transaction t
        where t.account_id = d.account_id and t.booked_at >= d.from_time and t.status = 'Booked'
      ), 0)::bigint as balance, l.overdraft_limit_minor
    from due d join ledger_account l on l.account_id = d.account_id
  ), due_statement as (
    select m.account_id, m.account_sub_type, m.purchase_rate, m.starts_at, m.ends_at,
      (extract(year from g.age) * 12 + extract(month from g.age))::integer + 1 as number,
      m.currency,
      o.balance + coalesce(sum(s.credits - s.debits) over (
        partition by m.account_id order by m.starts_at rows between unbounded preceding
        and 1 preceding), 0)::bigint as opening,
      o.balance + coalesce(sum(s.credits - s.debits) over (
        partition by m.account_id order by m.starts_at), 0)::bigint as closing,
      coalesce(s.credits, 0) as credits, coalesce(s.debits, 0) as debits,
      coalesce(s.credit_count, 0) as credit_count, coalesce(s.debit_count, 0) as debit_count,
      o.overdraft_limit_minor, coalesce(c.costs, '[]') as costs
    from month m
    cross join lateral (select age(m.starts_at at time zone 'UTC',
      m.first_month at time zone 'UTC') as age) g
    join opening o on o.account_id = m.account_id
    left join sums s on s.account_id = m.account_id and s.month = m.starts_at
    left join cost c on c.account_id = m.account_id and c.month = m.starts_at
  )
  select json_build_object('accountId', s.account_id,
    'statementId', 'st-' || md5(s.account_id || to_char(s.starts_at at time zone 'UTC', ' YYYY-MM')),
    'number', s.number, 'startsAt', s.starts_at, 'endsAt', s.ends_at,
    'createdAt', s.ends_at + interval '6 hours',
    'periodName', sandbox_period_name(s.starts_at, s.ends_at), 'currency', s.currency,
    'opening', s.opening::text, 'closing', s.closing::text, 'credits', s.credits::text,
    'debits', s.debits::text, 'creditCount', s.credit_count, 'debitCount', s.debit_count,
    'limit', s.overdraft_limit_minor::text, 'costs', s.costs,
    'minimumPayment', sandbox_minimum_payment(s.account_sub_type, s.closing)::text,
    'paymentDueAt', sandbox_payment_due(s.account_sub_type, s.closing, s.ends_at),
    'rates', sandbox_card_rates(s.purchase_rate))
  from due_statement s;
end $body$;

-- Software that a TPP has entered in the sandbox's directory, registered with the bank or not.
create table directory_software (
  software_id text primary key,
  organisation_id text not null,
  name text not null,
  on_behalf_of text,
  roles text[] not null,
  redirect_uris text[] not null,
  organisation_status text not null default 'Active'
    check (organisation_status in ('Active', 'Revoked', 'Withdrawn')),
  software_status text not null default 'Active'
    check (software_status in ('Active', 'Inactive', 'Revoked')),
  created_at timestamptz not null
);

-- The keys of such software, each with the certificate that the directory has issued for it.
create table directory_key (
  software_id text not null references directory_software on delete cascade,
  kid text not null,
  use text not null check (use in ('sig', 'tls')),
  jwk json not null,
  certificate_pem text not null,
  created_at timestamptz not null,
  -- from this time on, the key is in the list of revoked keys
  revoked_at timestamptz,
  primary key (software_id, kid)
);
