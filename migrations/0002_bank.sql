-- The bank: customers, accounts, what a customer sees of an account, and the ledger behind it.

create table customer (
  customer_id text primary key,
  login text not null unique,
  name text not null,
  kind text not null check (kind in ('personal', 'business')),
  password_hash text not null,
  totp_secret text not null
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
create table posting (
  posting_id text primary key,
  debit_account_id text not null references ledger_account,
  credit_account_id text not null references ledger_account,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  booked_at timestamptz not null,
  payment_id text,
  purpose text not null,
  check (debit_account_id <> credit_account_id)
);
create index posting_payment on posting (payment_id) where payment_id is not null;
create index posting_debit on posting (debit_account_id);
create index posting_credit on posting (credit_account_id);

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
    join ledger_account d on d.account_id = p.debit_account_id
    join ledger_account c on c.account_id = p.credit_account_id
    where d.currency <> p.currency or c.currency <> p.currency
  ) then
    raise exception 'a posting keeps to one currency' using errcode = '23514';
  end if;
  -- rows are locked in one order, so that two batches cannot wait for each other
  perform 1 from ledger_account where account_id in (
    select debit_account_id from new_posting union select credit_account_id from new_posting
  ) order by account_id for update;
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

create function posting_is_permanent() returns trigger language plpgsql as $body$
begin
  raise exception 'a posting is never changed' using errcode = '23514';
end $body$;
create trigger posting_is_permanent before update or delete or truncate on posting
  for each statement execute function posting_is_permanent();

create function hold_moves_held() returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    update ledger_account set held_minor = held_minor + new.amount_minor
    where account_id = new.account_id;
  elsif tg_op = 'DELETE' then
    update ledger_account set held_minor = held_minor - old.amount_minor
    where account_id = old.account_id;
  else
    raise exception 'a hold is placed and released, never changed' using errcode = '23514';
  end if;
  return null;
end $body$;
create trigger hold_moves_held after insert or update or delete on hold
  for each row execute function hold_moves_held();

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
  -- when the scheme's answer arrives
  answer_at timestamptz,
  answer text,
  created_at timestamptz not null
);
