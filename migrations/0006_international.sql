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
