-- What belongs to an account beside its money: its product, who holds it and how to reach them, what
-- is offered on it, and its statements.

-- The terms of an account, in the account information standard's shape, without AccountId.
create table product (
  product_id text primary key,
  name text not null,
  details json not null,
  -- a card's rate for purchases, percent a year; null when it lends nothing
  purchase_rate text
);
alter table account add column product_id text references product;

-- An account's owner that is no person: the persons who hold the account act for it.
create table company (
  company_id text primary key,
  name text not null,
  legal_structure text not null,
  contact json not null
);
alter table account add column company_id text references company;

-- {partyNumber?, fullLegalName?, email?, phone?, mobile?, address?}: numbers as the standard writes
-- them (`+44-7700900123`), the address as in OBParty2; null for a customer who left none
alter table customer add column contact json;

-- Made to the customer of one account; members of OBReadOffer1 without AccountId.
create table offer (
  offer_id text primary key,
  account_id text not null references account,
  ends_at timestamptz not null,
  details json not null
);
create index offer_account on offer (account_id, offer_id);

-- A calendar month of an account (UTC), closed for ever: what its booked lines from starts_at until
-- before ends_at come to.
create table account_statement (
  account_id text not null references account,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  statement_id text not null unique,
  -- counts the account's statements
  number integer not null,
  created_at timestamptz not null,
  currency text not null,
  opening_minor bigint not null,
  closing_minor bigint not null,
  credits_minor bigint not null,
  debits_minor bigint not null,
  credit_count integer not null,
  debit_count integer not null,
  -- how far below zero the account could go when the statement was made
  limit_minor bigint not null,
  -- fees and interest among them: [{type, indicator, text, amount}], amount in minor units as text
  costs json not null,
  primary key (account_id, starts_at),
  check (closing_minor = opening_minor + credits_minor - debits_minor)
);

-- what is pending is looked for often, and there is little of it
create index account_transaction_pending on account_transaction (account_id, booked_at)
  where status = 'Pending';

-- Makes the statements that are due, each once, whoever else does it at the same time: of every
-- month that has ended and in which or before which the account has a line. A month with a line that
-- is still pending waits. Gives how many were made.
create function make_statements(at_time timestamptz, given_account_id text default null)
returns integer language plpgsql as $body$
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
      date_trunc('month', (
        select min(t.booked_at) from account_transaction t where t.account_id = a.account_id
      ), 'UTC') as first_month,
      (select max(s.ends_at) from account_statement s where s.account_id = a.account_id) as closed
    from account a
    where given_account_id is null or a.account_id = given_account_id
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
  return made;
end $body$;
