-- Room: sandbox. The sandbox bank's double-entry ledger, and the bank's records of payments,
-- exchange contracts and collections.
--
-- The functions read the keys out of a JSON document into arrays once, and find rows by those keys.
-- The planner has no statistics for a document: a join with one would scan a table of a few
-- thousand payments for every row. The functions therefore allow only plans that use the keys, so
-- that each connection makes one generic plan.

create table ledger_account (
  account_id text primary key,
  kind text not null check (kind in ('customer', 'internal')),
  currency text not null,
  balance_minor bigint not null default 0,
  held_minor bigint not null default 0 check (held_minor >= 0),
  -- how far below zero the available balance may go; for a card, its credit limit
  overdraft_limit_minor bigint not null default 0 check (overdraft_limit_minor >= 0),
  -- counts the changes; customers' balances in the account store use it as their version
  revision bigint not null default 1,
  constraint funds_cover
    check (kind = 'internal' or balance_minor - held_minor >= -overdraft_limit_minor)
)
-- while a page has room, a balance changes in place, without new index entries
with (fillfactor = 50);

-- A balanced pair: the amount that leaves one account arrives in the other. A posting is never
-- changed or deleted. The trigger that moves the balances checks that both accounts exist, once per
-- batch.
create table posting (
  posting_id text primary key,
  debit_account_id text not null,
  credit_account_id text not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  booked_at timestamptz not null,
  payment_id text,
  purpose text not null,
  -- The transaction that made the posting. Compared with a snapshot, it shows whether a balance of
  -- that time includes the posting. So postings can be summed in slices while the bank makes new
  -- ones.
  posted_in xid8 default pg_current_xact_id(),
  check (debit_account_id <> credit_account_id)
);
-- a payment moves money once, is charged for once and is returned once
create unique index posting_payment on posting (payment_id, purpose)
  where payment_id is not null;
-- These purposes have few postings. The indexes let the ledger be verified in slices, and add no
-- entry for a payment's postings, which have other purposes.
create index posting_opening_debit on posting (debit_account_id) where purpose = 'opening';
create index posting_opening_credit on posting (credit_account_id) where purpose = 'opening';
create index posting_direct_debit on posting (posting_id) where purpose = 'direct-debit';

-- Reserved funds of a payment in progress (hold_id is its payment_id) or of a pending card purchase
-- (hold_id is its transaction_id). A trigger checks that the account exists, once per batch.
create table hold (
  hold_id text primary key,
  account_id text not null,
  amount_minor bigint not null check (amount_minor > 0),
  purpose text not null check (purpose in ('payment', 'card')),
  created_at timestamptz not null
);
create index hold_account on hold (account_id);

-- The ledger sends the balances of customers' accounts to the account store in the transaction that
-- changes them. The available balance includes a card's credit limit but not an overdraft, which is
-- only a credit line. Most accounts have no limit, so `is_card` is called only for the others.
create function is_card(account text) returns boolean language sql stable
return (select a.account_sub_type = 'CreditCard' from account a where a.account_id = account);

create function credit_lines_of(l ledger_account) returns json language sql stable
return case when is_card(l.account_id)
  then json_build_array(json_build_object('type', 'Credit', 'isIncluded', true,
    'amountMinor', l.overdraft_limit_minor::text))
  else json_build_array(
    json_build_object('type', 'Available', 'isIncluded', false, 'amountMinor',
      greatest(0, l.overdraft_limit_minor + least(0, l.balance_minor - l.held_minor))::text),
    json_build_object('type', 'PreAgreed', 'isIncluded', false, 'amountMinor',
      l.overdraft_limit_minor::text)) end;

-- PostgreSQL inlines this function in the statements that use it.
create function balances_of(l ledger_account, at_time timestamptz) returns account_balance
language sql stable
return row(l.account_id, l.currency, l.revision, at_time, l.balance_minor,
  l.balance_minor - l.held_minor + case when l.overdraft_limit_minor > 0 and is_card(l.account_id)
    then l.overdraft_limit_minor else 0 end,
  case when l.overdraft_limit_minor > 0 then credit_lines_of(l) end, null,
  case when l.currency <> 'GBP' then 'Local' end)::account_balance;

create function ledger_account_is_shown() returns trigger language plpgsql as $body$
declare
  changed account_balance[];
begin
  select array_agg(balances_of(l::ledger_account, null)) into changed
  from new_account l where l.kind = 'customer';
  perform feed_balances(changed);
  return null;
end $body$;
create trigger ledger_account_is_shown after insert on ledger_account
  referencing new table as new_account
  for each statement execute function ledger_account_is_shown();

create function ledger_limit_is_shown() returns trigger language plpgsql as $body$
begin
  new.revision := old.revision + 1;
  if new.kind = 'customer' then
    perform feed_balances(array[balances_of(new, null)]);
  end if;
  return new;
end $body$;
create trigger ledger_limit_is_shown before update of overdraft_limit_minor on ledger_account
  for each row execute function ledger_limit_is_shown();

-- Moves the balances. A payment's first posting releases its hold in the same update, so each
-- account is written once. Here and in the triggers on holds, the arrays are in the order of the
-- accounts, and the update locks its rows in the order of the arrays, so that two batches cannot
-- deadlock.
create function posting_moves_balances() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  payments text[];
  accounts text[];
  currencies text[];
  amounts numeric[];
  releases numeric[];
  at_time timestamptz;
  moved_accounts integer;
  changed account_balance[];
begin
  select array_agg(payment_id) filter (where payment_id is not null), max(booked_at)
  into payments, at_time from new_posting;
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
    returning a.kind, balances_of(a, at_time) as balances
  )
  select count(*), array_agg(balances) filter (where kind = 'customer')
  into moved_accounts, changed from moved;
  if moved_accounts <> cardinality(accounts) then
    raise exception 'the accounts of a posting must exist and have its currency' using errcode = '23514';
  end if;
  perform feed_balances(changed);
  return null;
end $body$;
create trigger posting_moves_balances after insert on posting
  referencing new table as new_posting
  for each statement execute function posting_moves_balances();

create function ledger_is_permanent() returns trigger language plpgsql as $body$
begin
  raise exception 'rows of % are permanent', tg_table_name using errcode = '23514';
end $body$;
create trigger posting_is_permanent before update or delete or truncate on posting
  for each statement execute function ledger_is_permanent();
create trigger ledger_account_is_permanent before delete or truncate on ledger_account
  for each statement execute function ledger_is_permanent();

create function hold_placed() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  accounts text[];
  amounts numeric[];
  at_time timestamptz;
  held_accounts integer;
  changed account_balance[];
begin
  select array_agg(account_id), array_agg(amount), max(newest) into accounts, amounts, at_time from (
    select account_id, sum(amount_minor) as amount, max(created_at) as newest from new_hold
    group by account_id order by account_id
  ) sums;
  if accounts is null then return null; end if;
  with placed as (
    update ledger_account a set held_minor = a.held_minor + m.amount, revision = a.revision + 1
    from unnest(accounts, amounts) as m(account_id, amount) where a.account_id = m.account_id
    returning a.kind, balances_of(a, at_time) as balances
  )
  select count(*), array_agg(balances) filter (where kind = 'customer')
  into held_accounts, changed from placed;
  if held_accounts <> cardinality(accounts) then
    raise exception 'the account of a hold must exist' using errcode = '23503';
  end if;
  perform feed_balances(changed);
  return null;
end $body$;
create trigger hold_placed after insert on hold referencing new table as new_hold
  for each statement execute function hold_placed();

create function hold_released() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  accounts text[];
  amounts numeric[];
  changed account_balance[];
begin
  select array_agg(account_id), array_agg(amount) into accounts, amounts from (
    select account_id, sum(amount_minor) as amount from old_hold
    group by account_id order by account_id
  ) sums;
  if accounts is null then return null; end if;
  with released as (
    update ledger_account a set held_minor = a.held_minor - m.amount, revision = a.revision + 1
    from unnest(accounts, amounts) as m(account_id, amount) where a.account_id = m.account_id
    returning a.kind, balances_of(a, null) as balances
  )
  select array_agg(balances) into changed from released where kind = 'customer';
  perform feed_balances(changed);
  return null;
end $body$;
-- not for holds that a posting releases: the posting's trigger has done this already
create trigger hold_released after delete on hold referencing old table as old_hold
  for each statement when (pg_trigger_depth() = 0) execute function hold_released();

create function hold_is_never_changed() returns trigger language plpgsql as $body$
begin
  raise exception 'a hold can be placed and released, but not changed' using errcode = '23514';
end $body$;
create trigger hold_is_never_changed before update or truncate on hold
  for each statement execute function hold_is_never_changed();

-- The accounts for postings from and to the world outside the bank.
insert into ledger_account (account_id, kind, currency) values
  ('internal-opening', 'internal', 'GBP'),
  ('internal-fps', 'internal', 'GBP'),
  ('internal-payroll', 'internal', 'GBP'),
  ('internal-direct-debits', 'internal', 'GBP'),
  ('internal-cards', 'internal', 'GBP'),
  ('internal-cash', 'internal', 'GBP'),
  ('internal-interest', 'internal', 'GBP'),
  ('internal-fees', 'internal', 'GBP'),
  ('internal-charges', 'internal', 'GBP'),
  ('internal-sepa-EUR', 'internal', 'EUR'),
  ('internal-opening-EUR', 'internal', 'EUR'),
  ('internal-opening-USD', 'internal', 'USD'),
  ('internal-cards-EUR', 'internal', 'EUR'),
  ('internal-cards-USD', 'internal', 'USD');

-- Every currency has an account through which it is exchanged, one for payments through
-- correspondent banks and one for the bank's charges. The list above has the one for charges in
-- sterling.
insert into ledger_account (account_id, kind, currency)
select 'internal-' || purpose || '-' || currency, 'internal', currency
from unnest(array['exchange', 'swift', 'charges']) as purposes(purpose),
  regexp_split_to_table('AED AUD BHD CAD CHF CNY CZK DKK EUR GBP HKD HUF '
    || 'INR JOD JPY NOK NZD PLN SAR SEK SGD USD ZAR', ' ') as currencies(currency)
where not (purpose = 'charges' and currency = 'GBP');

-- What the sandbox collects under a mandate, and when. The account store has the mandate itself.
create table sandbox_mandate (
  direct_debit_id text primary key references direct_debit,
  -- the account that receives the money: the ledger's account for other banks' originators, or a
  -- card
  creditor_account_id text not null references ledger_account,
  -- the day of the month that a monthly mandate returns to after a month that is too short for it
  day_of_month integer not null check (day_of_month between 1 and 31),
  -- The range of the amounts that the originator asks for. If null, it asks for what the creditor
  -- account, a card, owed at the start of the month.
  least_minor bigint check (least_minor > 0),
  most_minor bigint check (most_minor >= least_minor),
  -- the day of the next collection, which may be a non-working day
  next_on date not null,
  -- when the next attempt is made; null if there will be none
  due_at timestamptz,
  check ((least_minor is null) = (most_minor is null))
);
create index sandbox_mandate_due on sandbox_mandate (due_at) where due_at is not null;

-- The outcome of a collection. A mandate has at most one row per day, so nothing is collected
-- twice.
create table direct_debit_collection (
  direct_debit_id text not null references sandbox_mandate,
  due_on date not null,
  outcome text not null check (outcome in ('collected', 'unpaid')),
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  -- null if the collection was returned unpaid
  posting_id text unique,
  decided_at timestamptz not null,
  primary key (direct_debit_id, due_on),
  check ((outcome = 'collected') = (posting_id is not null))
);

-- An exchange rate that the bank and a customer have agreed for payments from one account.
create table exchange_contract (
  contract_id text primary key,
  account_id text not null references account,
  unit_currency text not null,
  other_currency text not null check (other_currency <> unit_currency),
  -- the amount of the other currency that one unit currency is worth
  rate numeric not null check (rate > 0),
  -- how much may be paid at this rate, in the other currency
  amount_minor bigint not null check (amount_minor > 0),
  agreed_at timestamptz not null,
  expires_at timestamptz not null
);
create index exchange_contract_account on exchange_contract (account_id);

-- The sandbox bank's own record of a payment, which makes a repeated instruction harmless. An
-- international payment is priced when its funds are reserved: amount_minor leaves the account,
-- transfer_minor is its value in the other currency, and deducted_minor of that is not sent. These
-- columns are null or 0 for domestic payments.
create table bank_payment (
  payment_id text primary key,
  state text not null
    check (state in ('reserved', 'pending', 'settled', 'refused', 'returned', 'released')),
  reason_code text,
  reason_text text,
  -- the scheme's answer and when it arrives; if both are null, a pending payment gets no answer
  answer text check (answer in ('accept', 'acceptWithoutPosting', 'refuse')),
  answer_at timestamptz,
  created_at timestamptz not null,
  -- the instruction as received
  debtor_account_id text not null,
  amount_minor bigint not null,
  charge_minor bigint not null,
  currency text not null,
  creditor json not null,
  end_to_end_id text,
  reference text,
  local_instrument text,
  international json,
  transfer_minor bigint check (transfer_minor > deducted_minor),
  transfer_currency text,
  deducted_minor bigint not null default 0 check (deducted_minor >= 0),
  -- how much of the transfer's currency one unit of the account's currency buys; null if nothing is
  -- exchanged
  exchange_rate numeric,
  contract_id text
)
-- its state changes in place, as balances do
with (fillfactor = 50);
create index bank_payment_contract on bank_payment (contract_id) where contract_id is not null;

-- Returns how much may still be paid under a contract, in its other currency. The payments in `but`
-- are not counted.
create function exchange_contract_left(contract text, but text[] default '{}') returns numeric
language sql stable as $body$
  select c.amount_minor - coalesce((
    select sum(b.transfer_minor) from bank_payment b
    where b.contract_id = c.contract_id and b.state in ('reserved', 'pending', 'settled')
      and b.payment_id <> all(but)
  ), 0)
  from exchange_contract c where c.contract_id = contract
$body$;

-- Reserves funds for the payments that the bank does not know yet, in the given order, and returns
-- all of them. A payment is refused if the account or its contract does not cover it; the next
-- payment may still be covered. An instruction with a `refuse_code` cannot be made.
create function bank_reserve(given json, at_time timestamptz) returns setof bank_payment
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  ids text[];
  refuse_codes text[];
  fresh text[];
  accounts text[];
  contracts text[];
  candidate record;
  account text;
  remaining bigint;
  code text;
  undecided text[];
  refused text[] := '{}';
  codes text[] := '{}';
begin
  select array_agg(g.instruction->>'payment_id' order by g.position),
    array_agg(g.instruction->>'refuse_code' order by g.position)
  into ids, refuse_codes
  from json_array_elements(given) with ordinality as g(instruction, position);
  with inserted as (
    insert into bank_payment (payment_id, state, created_at, debtor_account_id, amount_minor,
      charge_minor, currency, creditor, end_to_end_id, reference, local_instrument,
      international, transfer_minor, transfer_currency, deducted_minor, exchange_rate, contract_id)
    select payment_id, 'reserved', at_time, debtor_account_id, amount_minor, charge_minor,
      currency, creditor, end_to_end_id, reference, local_instrument, international,
      transfer_minor, transfer_currency, deducted_minor, exchange_rate, contract_id
    from json_populate_recordset(null::bank_payment, given)
    order by payment_id
    on conflict do nothing returning payment_id, debtor_account_id, contract_id
  )
  select array_agg(payment_id), array_agg(debtor_account_id),
    array_agg(contract_id) filter (where contract_id is not null)
  into fresh, accounts, contracts from inserted;
  if fresh is not null then
    undecided := fresh;
    if contracts is not null then
      perform 1 from exchange_contract where contract_id = any(contracts)
      order by contract_id for no key update;
    end if;
    perform 1 from ledger_account where account_id = any(accounts)
    order by account_id for no key update;
    for candidate in
      select b.payment_id, b.debtor_account_id, b.amount_minor + b.charge_minor as debit_minor,
        b.currency, a.status, g.refuse_code, b.contract_id,
        b.transfer_minor, a.currency as account_currency,
        l.balance_minor - l.held_minor + l.overdraft_limit_minor as available
      from unnest(ids, refuse_codes) with ordinality as g(payment_id, refuse_code, position)
      join bank_payment b on b.payment_id = g.payment_id
      left join account a on a.account_id = b.debtor_account_id
      left join ledger_account l on l.account_id = b.debtor_account_id
      where b.payment_id = any(fresh)
      order by b.debtor_account_id, g.position
    loop
      if account is distinct from candidate.debtor_account_id then
        account := candidate.debtor_account_id;
        remaining := candidate.available;
      end if;
      code := case
        when remaining is null or candidate.status is null then 'AC02'
        when candidate.status = 'Deleted' then 'AC04'
        when candidate.status = 'Disabled' then 'AC06'
        when candidate.refuse_code is not null then candidate.refuse_code
        when candidate.currency <> candidate.account_currency then 'AM03'
        when candidate.debit_minor > remaining then 'AM04'
        when candidate.contract_id is not null and (
          not exists (select from exchange_contract c
            where c.contract_id = candidate.contract_id
              and c.account_id = candidate.debtor_account_id and c.expires_at > at_time)
          or candidate.transfer_minor > exchange_contract_left(candidate.contract_id, undecided)
        ) then 'AM14'
      end;
      if code is null then
        remaining := remaining - candidate.debit_minor;
        undecided := array_remove(undecided, candidate.payment_id);
      else
        refused := refused || candidate.payment_id;
        codes := codes || code;
      end if;
    end loop;
    if refused <> '{}' then
      update bank_payment b set state = 'refused', reason_code = r.code
      from unnest(refused, codes) as r(payment_id, code) where b.payment_id = r.payment_id;
    end if;
    insert into hold (hold_id, account_id, amount_minor, purpose, created_at)
    select b.payment_id, b.debtor_account_id, b.amount_minor + b.charge_minor, 'payment', at_time
    from bank_payment b where b.payment_id = any(fresh) and b.state = 'reserved';
  end if;
  return query select b.* from bank_payment b where b.payment_id = any(ids);
end $body$;

-- Moves payments from one state to another, with all consequences: releases holds, books `postings`
-- and shows `entries` to the customers. Skips payments that are no longer in the first state.
-- Returns all the payments.
create function bank_move(leaving text, moves json, postings json, entries json)
returns setof bank_payment language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  ids text[];
  live text[];
  accounts text[];
  booking posting[];
  booked text[];
  posted bigint;
begin
  select array_agg(m.move->>'payment_id') into ids from json_array_elements(moves) as m(move);
  select array_agg(payment_id) into live from (
    select b.payment_id from bank_payment b
    where b.payment_id = any(ids) and b.state = leaving
    order by b.payment_id for update
  ) locked;
  if live is not null then
    select array_agg(p), count(distinct p.payment_id) into booking, posted
    from json_populate_recordset(null::posting, postings) p where p.payment_id = any(live);
    -- Some holds are released without a posting. Their accounts are locked together with those of the
    -- postings, because two batches that lock them one after the other can deadlock.
    if posted > 0 and posted < cardinality(live) then
      select array_agg(account_id) into accounts from (
        select account_id from hold where hold_id = any(live)
        union all
        select unnest(array[p.debit_account_id, p.credit_account_id]) from unnest(booking) p
      ) touched;
      perform 1 from ledger_account where account_id = any(accounts)
      order by account_id for no key update;
      perform lock_accounts(accounts);
    end if;
    if posted > 0 then
      with made as (
        insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor,
          currency, booked_at, payment_id, purpose)
        select posting_id, debit_account_id, credit_account_id, amount_minor, currency, booked_at,
          payment_id, purpose
        from unnest(booking)
        returning posting_id
      )
      select array_agg(posting_id) into booked from made;
      perform feed_transactions(entries, booked);
    end if;
    -- releases the holds of payments that have no postings
    if posted < cardinality(live) then
      delete from hold where hold_id = any(live);
    end if;
    update bank_payment b set state = m.state, reason_code = m.reason_code,
      reason_text = m.reason_text, answer = m.answer, answer_at = m.answer_at
    from json_populate_recordset(null::bank_payment, moves) m
    where b.payment_id = m.payment_id and b.payment_id = any(live);
  end if;
  return query select b.* from bank_payment b where b.payment_id = any(ids);
end $body$;
