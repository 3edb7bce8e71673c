-- Payments abroad and in other currencies: what they say, what they come to, and the ledger's
-- accounts in every currency that is exchanged.

-- what the bank's port calls international terms; null for a payment in the account's currency
alter table payment add column international json;

-- A rate that bank and customer have agreed for payments from one account.
create table exchange_contract (
  contract_id text primary key,
  account_id text not null references account,
  unit_currency text not null,
  other_currency text not null check (other_currency <> unit_currency),
  -- one unit currency is that many of the other
  rate numeric not null check (rate > 0),
  -- what may be paid at it, in the other currency
  amount_minor bigint not null check (amount_minor > 0),
  agreed_at timestamptz not null,
  expires_at timestamptz not null
);
create index exchange_contract_account on exchange_contract (account_id);

-- An international payment as it was given, and as it was priced when its funds were set aside:
-- amount_minor is what leaves the account, transfer_minor what it is worth in the other currency,
-- of which deducted_minor is not sent. All are null, or 0, for any other payment.
alter table bank_payment
  add column international json,
  add column transfer_minor bigint check (transfer_minor > deducted_minor),
  add column transfer_currency text,
  add column deducted_minor bigint not null default 0 check (deducted_minor >= 0),
  -- one of the account's currency is that many of the transfer's; null when nothing is exchanged
  add column exchange_rate numeric,
  add column contract_id text;
create index bank_payment_contract on bank_payment (contract_id) where contract_id is not null;

-- What may still be paid at a contract, in its other currency; `but` leaves payments out.
create function exchange_contract_left(contract text, but text[] default '{}') returns numeric
language sql stable as $body$
  select c.amount_minor - coalesce((
    select sum(b.transfer_minor) from bank_payment b
    where b.contract_id = c.contract_id and b.state in ('reserved', 'pending', 'settled')
      and b.payment_id <> all(but)
  ), 0)
  from exchange_contract c where c.contract_id = contract
$body$;

-- Sets funds aside for the payments that the bank has not heard of, in the order given, and gives
-- what is known of all. A payment that is not covered, by the account or by the contract that it
-- uses, is refused and leaves room for the next; `refuse_code` in what is given says that it cannot
-- be made at all.
create or replace function bank_reserve(given json, at_time timestamptz) returns setof bank_payment
language plpgsql as $body$
declare
  fresh text[];
  candidate record;
  account text;
  remaining bigint;
  code text;
  undecided text[];
  refused text[] := '{}';
  codes text[] := '{}';
begin
  with inserted as (
    insert into bank_payment (payment_id, state, created_at, debtor_account_id, amount_minor,
      charge_minor, currency, creditor, end_to_end_id, reference, local_instrument,
      international, transfer_minor, transfer_currency, deducted_minor, exchange_rate, contract_id)
    select payment_id, 'reserved', at_time, debtor_account_id, amount_minor, charge_minor,
      currency, creditor, end_to_end_id, reference, local_instrument, international,
      transfer_minor, transfer_currency, deducted_minor, exchange_rate, contract_id
    from json_populate_recordset(null::bank_payment, given)
    order by payment_id
    on conflict do nothing returning payment_id
  )
  select array_agg(payment_id) into fresh from inserted;
  if fresh is not null then
    undecided := fresh;
    perform 1 from exchange_contract where contract_id in (
      select b.contract_id from bank_payment b where b.payment_id = any(fresh)
    ) order by contract_id for no key update;
    perform 1 from ledger_account where account_id in (
      select debtor_account_id from json_populate_recordset(null::bank_payment, given)
    ) order by account_id for no key update;
    for candidate in
      select b.payment_id, b.debtor_account_id, b.amount_minor + b.charge_minor as debit_minor,
        b.currency, a.status, g.instruction->>'refuse_code' as refuse_code, b.contract_id,
        b.transfer_minor, a.currency as account_currency,
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
    update bank_payment b set state = 'refused', reason_code = r.code
    from unnest(refused, codes) as r(payment_id, code) where b.payment_id = r.payment_id;
    insert into hold (hold_id, account_id, amount_minor, purpose, created_at)
    select b.payment_id, b.debtor_account_id, b.amount_minor + b.charge_minor, 'payment', at_time
    from bank_payment b where b.payment_id = any(fresh) and b.state = 'reserved';
  end if;
  return query select b.* from bank_payment b where b.payment_id in (
    select g.payment_id from json_populate_recordset(null::bank_payment, given) g);
end $body$;

-- Every currency has an account over which it is exchanged and one for what goes through the
-- correspondent banks; what the bank takes of sterling has its account already.
insert into ledger_account (account_id, kind, currency)
select 'internal-' || purpose || '-' || currency, 'internal', currency
from unnest(array['exchange', 'swift', 'charges']) as purposes(purpose),
  regexp_split_to_table('AED AUD BHD CAD CHF CNY CZK DKK EUR GBP HKD HUF '
    || 'INR JOD JPY NOK NZD PLN SAR SEK SGD USD ZAR', ' ') as currencies(currency)
where not (purpose = 'charges' and currency = 'GBP');

-- What accounts in euro and dollars have to do with the outside world.
insert into ledger_account (account_id, kind, currency) values
  ('internal-sepa-EUR', 'internal', 'EUR'),
  ('internal-opening-EUR', 'internal', 'EUR'),
  ('internal-opening-USD', 'internal', 'USD'),
  ('internal-cards-EUR', 'internal', 'EUR'),
  ('internal-cards-USD', 'internal', 'USD');
