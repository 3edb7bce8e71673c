-- The ledger's functions do what they did, for less. What a document names is read out of it once,
-- into arrays, and rows are found by their keys: joined with a document, of which the planner knows
-- nothing, a table of some thousand payments was read whole for each of them. With every way but
-- the keys' shut there is one plan, and it is made once a connection. That a row's account exists is
-- seen to once a batch and not once a row.

alter table hold drop constraint hold_account_id_fkey;
alter table account_transaction drop constraint account_transaction_account_id_fkey;
-- what the two constraints said besides: an account that has lines stays
create trigger account_is_permanent before delete or truncate on account
  for each statement execute function ledger_is_permanent();

create or replace function posting_moves_balances() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  accounts text[];
  currencies text[];
  amounts numeric[];
  moved integer;
begin
  select array_agg(account_id), array_agg(currency), array_agg(amount)
  into accounts, currencies, amounts
  from (
    select account_id, currency, sum(amount) as amount from (
      select debit_account_id as account_id, currency, -amount_minor as amount from new_posting
      union all
      select credit_account_id, currency, amount_minor from new_posting
    ) legs group by account_id, currency
  ) sums;
  if accounts is null then return null; end if;
  -- rows are locked in one order, so that two batches cannot wait for each other
  perform 1 from ledger_account where account_id = any(accounts)
  order by account_id for no key update;
  update ledger_account a set balance_minor = a.balance_minor + m.amount
  from unnest(accounts, currencies, amounts) as m(account_id, currency, amount)
  where a.account_id = m.account_id and a.currency = m.currency;
  get diagnostics moved = row_count;
  if moved <> cardinality(accounts) then
    raise exception 'a posting keeps to two accounts of one currency' using errcode = '23514';
  end if;
  return null;
end $body$;

create or replace function hold_placed() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  accounts text[];
  amounts numeric[];
  placed integer;
begin
  select array_agg(account_id), array_agg(amount) into accounts, amounts from (
    select account_id, sum(amount_minor) as amount from new_hold group by account_id
  ) sums;
  if accounts is null then return null; end if;
  if cardinality(accounts) > 1 then
    perform 1 from ledger_account where account_id = any(accounts)
    order by account_id for no key update;
  end if;
  update ledger_account a set held_minor = a.held_minor + m.amount
  from unnest(accounts, amounts) as m(account_id, amount) where a.account_id = m.account_id;
  get diagnostics placed = row_count;
  if placed <> cardinality(accounts) then
    raise exception 'a hold is on an account that there is' using errcode = '23503';
  end if;
  return null;
end $body$;

create or replace function hold_released() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  accounts text[];
  amounts numeric[];
begin
  select array_agg(account_id), array_agg(amount) into accounts, amounts from (
    select account_id, sum(amount_minor) as amount from old_hold group by account_id
  ) sums;
  if accounts is null then return null; end if;
  if cardinality(accounts) > 1 then
    perform 1 from ledger_account where account_id = any(accounts)
    order by account_id for no key update;
  end if;
  update ledger_account a set held_minor = a.held_minor - m.amount
  from unnest(accounts, amounts) as m(account_id, amount) where a.account_id = m.account_id;
  return null;
end $body$;

-- Sets funds aside for the payments that the bank has not heard of, in the order given, and gives
-- what is known of all. A payment that is not covered, by the account or by the contract that it
-- uses, is refused and leaves room for the next; `refuse_code` in what is given says that it cannot
-- be made at all.
create or replace function bank_reserve(given json, at_time timestamptz) returns setof bank_payment
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

-- Takes payments out of one state into another, with all that goes with it: funds set aside are
-- given back, `postings` booked and `entries` shown to the customers. A payment that is no longer
-- in that state is left alone. Gives what is known of all.
create or replace function bank_move(leaving text, moves json, postings json, entries json)
returns setof bank_payment language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  ids text[];
  live text[];
  accounts text[];
  booked text[];
begin
  select array_agg(m.move->>'payment_id') into ids from json_array_elements(moves) as m(move);
  select array_agg(payment_id) into live from (
    select b.payment_id from bank_payment b
    where b.payment_id = any(ids) and b.state = leaving
    order by b.payment_id for update
  ) locked;
  if live is not null then
    select array_agg(account_id) into accounts from (
      select account_id from hold where hold_id = any(live)
      union all
      select unnest(array[p.posting->>'debit_account_id', p.posting->>'credit_account_id'])
      from json_array_elements(postings) as p(posting)
    ) touched;
    perform 1 from ledger_account where account_id = any(accounts)
    order by account_id for no key update;
    delete from hold where hold_id = any(live);
    with made as (
      insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
        booked_at, payment_id, purpose)
      select posting_id, debit_account_id, credit_account_id, amount_minor, currency, booked_at,
        payment_id, purpose
      from json_populate_recordset(null::posting, postings) p where p.payment_id = any(live)
      returning posting_id
    )
    select array_agg(posting_id) into booked from made;
    insert into account_transaction (account_id, booked_at, transaction_id, indicator, status,
      amount_minor, currency, posting_id, basic_members, detail_members)
    select e.account_id, e.booked_at, e.transaction_id, e.indicator, e.status, e.amount_minor,
      e.currency, e.posting_id, e.basic_members, e.detail_members
    from json_populate_recordset(null::account_transaction, entries) e
    where e.posting_id = any(booked);
    update bank_payment b set state = m.state, reason_code = m.reason_code,
      reason_text = m.reason_text, answer = m.answer, answer_at = m.answer_at
    from json_populate_recordset(null::bank_payment, moves) m
    where b.payment_id = m.payment_id and b.payment_id = any(live);
  end if;
  return query select b.* from bank_payment b where b.payment_id = any(ids);
end $body$;

-- Rows whose numbers change in place, without new entries in their indexes, while a page has room.
alter table ledger_account set (fillfactor = 50);
alter table bank_payment set (fillfactor = 80);
