-- The bank: customers, accounts, what a customer sees of an account, and the ledger behind it.

create table customer (
  customer_id text primary key,
  login text not null unique,
  name text not null,
  kind text not null check (kind in ('personal', 'business')),
  -- scrypt$N$r$p$salt$hash, base64url
  password_hash text not null,
  -- base 32
  totp_secret text not null,
  -- the time step of the last code that was used: it and those before it are refused
  totp_last_step bigint not null default -1
);

create table account (
  account_id text primary key,
  -- 'Personal' or 'Business'; 'CurrentAccount', 'Savings', 'CreditCard'
  account_type text not null,
  account_sub_type text not null,
  currency text not null,
  nickname text,
  description text,
  holder_name text not null,
  opened_on date not null,
  status text not null default 'Enabled' check (status in ('Enabled', 'Disabled', 'Deleted')),
  status_updated_at timestamptz not null,
  -- six digits and eight digits together; null for a card account
  sort_code_account_number text unique,
  iban text unique,
  -- masked: the full number of a card is not kept
  masked_pan text,
  signatories_required integer not null default 1
);

create table account_holder (
  account_id text not null references account,
  customer_id text not null references customer,
  role text not null check (role in ('owner', 'joint', 'signatory')),
  primary key (account_id, customer_id)
);
create index account_holder_customer on account_holder (customer_id);

create table ledger_account (
  account_id text primary key,
  kind text not null check (kind in ('customer', 'internal')),
  currency text not null,
  balance_minor bigint not null default 0,
  held_minor bigint not null default 0 check (held_minor >= 0),
  -- how far below zero the available balance may go; a card's credit limit
  overdraft_limit_minor bigint not null default 0 check (overdraft_limit_minor >= 0),
  constraint funds_cover
    check (kind = 'internal' or balance_minor - held_minor >= -overdraft_limit_minor)
);

-- A balanced pair: what leaves one account arrives in the other. Never changed, never deleted.
-- Both accounts exist: the trigger that moves the balances sees to it, once a batch.
create table posting (
  posting_id text primary key,
  debit_account_id text not null,
  credit_account_id text not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  booked_at timestamptz not null,
  payment_id text,
  purpose text not null,
  check (debit_account_id <> credit_account_id)
);
-- money moves once for a payment, is charged for once, and comes back once
create unique index posting_payment on posting (payment_id, purpose)
  where payment_id is not null;

-- Reserved funds: of a payment on its way (hold_id is its payment_id) or of a pending card purchase
-- (hold_id is its transaction_id).
create table hold (
  hold_id text primary key,
  account_id text not null references ledger_account,
  amount_minor bigint not null check (amount_minor > 0),
  purpose text not null check (purpose in ('payment', 'card')),
  created_at timestamptz not null
);
create index hold_account on hold (account_id);

create function posting_moves_balances() returns trigger language plpgsql as $body$
begin
  if exists (
    select from new_posting p
    left join ledger_account d on d.account_id = p.debit_account_id
    left join ledger_account c on c.account_id = p.credit_account_id
    where d.currency is distinct from p.currency or c.currency is distinct from p.currency
  ) then
    raise exception 'a posting keeps to two accounts of one currency' using errcode = '23514';
  end if;
  -- rows are locked in one order, so that two batches cannot wait for each other
  perform 1 from ledger_account where account_id in (
    select debit_account_id from new_posting union select credit_account_id from new_posting
  ) order by account_id for no key update;
  update ledger_account a set balance_minor = a.balance_minor + m.amount
  from (
    select account_id, sum(amount) as amount from (
      select debit_account_id as account_id, -amount_minor as amount from new_posting
      union all
      select credit_account_id, amount_minor from new_posting
    ) legs group by account_id
  ) m
  where a.account_id = m.account_id;
  return null;
end $body$;
create trigger posting_moves_balances after insert on posting
  referencing new table as new_posting
  for each statement execute function posting_moves_balances();

create function ledger_is_permanent() returns trigger language plpgsql as $body$
begin
  raise exception '% keeps what it has', tg_table_name using errcode = '23514';
end $body$;
create trigger posting_is_permanent before update or delete or truncate on posting
  for each statement execute function ledger_is_permanent();
create trigger ledger_account_is_permanent before delete or truncate on ledger_account
  for each statement execute function ledger_is_permanent();

create function hold_placed() returns trigger language plpgsql as $body$
begin
  perform 1 from ledger_account where account_id in (select account_id from new_hold)
  order by account_id for no key update;
  update ledger_account a set held_minor = a.held_minor + m.amount
  from (select account_id, sum(amount_minor) as amount from new_hold group by account_id) m
  where a.account_id = m.account_id;
  return null;
end $body$;
create trigger hold_placed after insert on hold referencing new table as new_hold
  for each statement execute function hold_placed();

create function hold_released() returns trigger language plpgsql as $body$
begin
  perform 1 from ledger_account where account_id in (select account_id from old_hold)
  order by account_id for no key update;
  update ledger_account a set held_minor = a.held_minor - m.amount
  from (select account_id, sum(amount_minor) as amount from old_hold group by account_id) m
  where a.account_id = m.account_id;
  return null;
end $body$;
create trigger hold_released after delete on hold referencing old table as old_hold
  for each statement execute function hold_released();

create function hold_is_never_changed() returns trigger language plpgsql as $body$
begin
  raise exception 'a hold is placed and released, never changed' using errcode = '23514';
end $body$;
create trigger hold_is_never_changed before update or truncate on hold
  for each statement execute function hold_is_never_changed();

-- The other side of what comes from outside the bank and goes there.
insert into ledger_account (account_id, kind, currency) values
  ('internal-opening', 'internal', 'GBP'),
  ('internal-fps', 'internal', 'GBP'),
  ('internal-payroll', 'internal', 'GBP'),
  ('internal-direct-debits', 'internal', 'GBP'),
  ('internal-cards', 'internal', 'GBP'),
  ('internal-cash', 'internal', 'GBP'),
  ('internal-interest', 'internal', 'GBP'),
  ('internal-fees', 'internal', 'GBP'),
  ('internal-charges', 'internal', 'GBP');

-- What a customer sees of an account, newest first. The members of its JSON object in the account
-- information standard's shape are rendered once, when it is written: a page is then one join.
create table account_transaction (
  account_id text not null references account,
  booked_at timestamptz not null,
  transaction_id text not null,
  indicator text not null check (indicator in ('Credit', 'Debit')),
  status text not null check (status in ('Booked', 'Pending', 'Rejected')),
  amount_minor bigint not null,
  currency text not null,
  posting_id text,
  -- `"AccountId":"…",…` without braces: what the Basic permission shows
  basic_members text not null,
  -- `"TransactionInformation":"…",…` without braces: what Detail adds; may be empty
  detail_members text not null,
  primary key (account_id, booked_at, transaction_id)
);
create unique index account_transaction_id on account_transaction (transaction_id);

-- The sandbox bank's own record of a payment it was given: what makes giving it twice harmless.
create table bank_payment (
  payment_id text primary key,
  state text not null
    check (state in ('reserved', 'pending', 'settled', 'refused', 'returned', 'released')),
  reason_code text,
  reason_text text,
  -- what the scheme answers, and when its answer arrives; null while pending is never
  answer text check (answer in ('accept', 'acceptWithoutPosting', 'refuse')),
  answer_at timestamptz,
  created_at timestamptz not null,
  -- the instruction as it was given
  debtor_account_id text not null,
  amount_minor bigint not null,
  charge_minor bigint not null,
  currency text not null,
  creditor json not null,
  end_to_end_id text,
  reference text,
  local_instrument text
);

-- Sets funds aside for the payments that the bank has not heard of, in the order given, and gives
-- what is known of all. A payment that is not covered is refused and leaves room for the next.
create function bank_reserve(given json, at_time timestamptz) returns setof bank_payment
language plpgsql as $body$
declare
  fresh text[];
  candidate record;
  account text;
  remaining bigint;
  code text;
  refused text[] := '{}';
  codes text[] := '{}';
begin
  with inserted as (
    insert into bank_payment (payment_id, state, created_at, debtor_account_id, amount_minor,
      charge_minor, currency, creditor, end_to_end_id, reference, local_instrument)
    select payment_id, 'reserved', at_time, debtor_account_id, amount_minor, charge_minor,
      currency, creditor, end_to_end_id, reference, local_instrument
    from json_populate_recordset(null::bank_payment, given)
    order by payment_id
    on conflict do nothing returning payment_id
  )
  select array_agg(payment_id) into fresh from inserted;
  if fresh is not null then
    perform 1 from ledger_account where account_id in (
      select debtor_account_id from json_populate_recordset(null::bank_payment, given)
    ) order by account_id for no key update;
    for candidate in
      select b.payment_id, b.debtor_account_id, b.amount_minor + b.charge_minor as debit_minor,
        b.currency, a.status,
        a.currency as account_currency,
        l.balance_minor - l.held_minor + l.overdraft_limit_minor as available
      from json_array_elements(given) with ordinality as g(instruction, position)
      join bank_payment b on b.payment_id = g.instruction->>'payment_id'
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
        when candidate.currency <> candidate.account_currency then 'AM03'
        when candidate.debit_minor > remaining then 'AM04'
      end;
      if code is null then
        remaining := remaining - candidate.debit_minor;
      else
        refused := refused || candidate.payment_id;
        codes := codes || code;
      end if;
    end loop;
    update bank_payment b set state = 'refused', reason_code = r.code
    from unnest(refused, codes) as r(payment_id, code) where b.payment_id = r.payment_id;
    insert into hold (hold_id, account_id, amount_minor, purpose, created_at)
    select b.payment_id, b.debtor_account_id, b.amount_minor + b.charge_minor, 'payment', at_time
    from bank_payment b where b.payment_id = any(fresh) and b.state = 'reserved';
  end if;
  return query select b.* from bank_payment b where b.payment_id in (
    select g.payment_id from json_populate_recordset(null::bank_payment, given) g);
end $body$;

-- Takes payments out of one state into another, with all that goes with it: funds set aside are
-- given back, `postings` booked and `entries` shown to the customers. A payment that is no longer
-- in that state is left alone. Gives what is known of all.
create function bank_move(leaving text, moves json, postings json, entries json)
returns setof bank_payment language plpgsql as $body$
declare
  live text[];
begin
  select array_agg(payment_id) into live from (
    select b.payment_id from bank_payment b
    where b.state = leaving and b.payment_id in (
      select m.payment_id from json_populate_recordset(null::bank_payment, moves) m)
    order by b.payment_id for update
  ) locked;
  if live is not null then
    perform 1 from ledger_account where account_id in (
      select account_id from hold where hold_id = any(live)
      union all
      select unnest(array[p.debit_account_id, p.credit_account_id])
      from json_populate_recordset(null::posting, postings) p
    ) order by account_id for no key update;
    delete from hold where hold_id = any(live);
    insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
      booked_at, payment_id, purpose)
    select posting_id, debit_account_id, credit_account_id, amount_minor, currency, booked_at,
      payment_id, purpose
    from json_populate_recordset(null::posting, postings) p where p.payment_id = any(live);
    insert into account_transaction (account_id, booked_at, transaction_id, indicator, status,
      amount_minor, currency, posting_id, basic_members, detail_members)
    select e.account_id, e.booked_at, e.transaction_id, e.indicator, e.status, e.amount_minor,
      e.currency, e.posting_id, e.basic_members, e.detail_members
    from json_populate_recordset(null::account_transaction, entries) e
    where e.posting_id in (
      select p.posting_id from json_populate_recordset(null::posting, postings) p
      where p.payment_id = any(live));
    update bank_payment b set state = m.state, reason_code = m.reason_code,
      reason_text = m.reason_text, answer = m.answer, answer_at = m.answer_at
    from json_populate_recordset(null::bank_payment, moves) m
    where b.payment_id = m.payment_id and b.payment_id = any(live);
  end if;
  return query select b.* from bank_payment b where b.payment_id in (
    select m.payment_id from json_populate_recordset(null::bank_payment, moves) m);
end $body$;
