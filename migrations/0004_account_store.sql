-- Room: account-store. What a customer sees of an account: its details, holders, transactions,
-- statements, product, offers, payees and direct debits.

-- The terms of an account. `details` follows the product model that all versions of Account
-- Information share, without AccountId.
create table product (
  product_id text primary key,
  name text not null,
  details json not null,
  -- a card's yearly interest rate for purchases, in percent; null for a product that does not lend
  purchase_rate text,
  -- the bank's version of the fact: only a newer version replaces it
  version bigint not null default 1
);

-- People and companies. The party of a person who holds accounts has the customer's id. The people
-- who hold a company's account act for the company.
create table party (
  party_id text primary key,
  name text not null,
  -- null for a person
  legal_structure text,
  -- legal entity identifier (ISO 17442); null if there is none
  lei text check (lei ~ '^[A-Z0-9]{18}[0-9]{2}$'),
  -- {partyNumber?, fullLegalName?, email?, phone?, mobile?, address?}; null if the bank gives no
  -- contact details. Phone numbers are in the standard's format (`+44-7700900123`); the address is
  -- a `PostalAddress`.
  contact json,
  -- the bank's version of the fact: only a newer version replaces it
  version bigint not null default 1
);

create table account (
  account_id text primary key,
  -- The category, 'Personal' or 'Business', and the kind, such as 'CurrentAccount' (`AccountKind`).
  -- Only the columns' names come from v3.1. The values are the bank's facts: v3.1 has no code for
  -- some of them. `words.ts` of each API version translates them into its codes.
  account_type text not null,
  account_sub_type text not null,
  currency text not null,
  nickname text,
  description text,
  holder_name text not null,
  opened_on date not null,
  -- the maturity date of a fixed-term account; null for any other account
  matures_on date,
  status text not null default 'Enabled' check (status in ('Enabled', 'Disabled', 'Deleted')),
  status_updated_at timestamptz not null,
  -- whether the account was closed by a switch to another bank
  is_switched boolean not null default false,
  constraint switched_is_closed check (not is_switched or status = 'Deleted'),
  -- the six digits of the sort code and the eight of the number; null for a card account
  sort_code_account_number text unique,
  -- a further number, such as the roll number of a building society
  secondary_identification text,
  iban text unique,
  -- masked: the full number of a card is never stored
  masked_pan text,
  signatories_required integer not null default 1,
  product_id text references product,
  company_id text references party,
  -- {bic, name}: the bank that keeps the account; null if the bank does not state it
  servicer json,
  -- the ways in which the customer gets statements: [{frequency, channel, format, address}],
  -- `StatementDelivery`
  statement_deliveries json not null default '[]',
  version bigint not null default 1,
  -- When the first transaction was booked. Each page of transactions gives this time, so it must
  -- not need a search. Entries are never deleted and never move to another day, so only new ones
  -- can change it.
  history_from timestamptz
);

-- A new status of an account is a change of its history, because TPPs are notified of it.
create function record_account_status() returns trigger language plpgsql as $$
begin
  perform record_by_bank('account', new.account_id,
    json_build_object('status', new.status, 'isSwitched', new.is_switched),
    new.status_updated_at);
  return null;
end $$;
create trigger account_status_changed after update on account for each row
  when (new.status <> old.status or new.is_switched <> old.is_switched)
  execute function record_account_status();

-- The feed closes an account with the status 'Deleted'; its facts stay.
create function account_is_permanent() returns trigger language plpgsql as $body$
begin
  raise exception 'an account can be closed, but not deleted' using errcode = '23514';
end $body$;
create trigger account_is_permanent before delete or truncate on account
  for each statement execute function account_is_permanent();

create table account_holder (
  account_id text not null references account,
  customer_id text not null,
  role text not null check (role in ('owner', 'joint', 'signatory')),
  version bigint not null default 1,
  primary key (account_id, customer_id)
);
create index account_holder_customer on account_holder (customer_id);

-- An account's transactions, newest first, as facts that do not depend on an API version. Common
-- facts have columns; rare ones share one. The bank numbers the versions of each transaction, and
-- only a newer version replaces a row. A trigger checks that the account exists, once per batch.
create table account_transaction (
  account_id text not null,
  transaction_id text not null,
  booked_at timestamptz not null,
  -- null if it is the same as booked_at
  value_at timestamptz,
  version bigint not null,
  -- the range in which JSON numbers are exact, which is over 90 trillion pounds
  amount_minor bigint not null check (amount_minor between 0 and 9007199254740991),
  -- the account's balance after the transaction, and its type, such as 'InterimBooked'
  balance_minor bigint,
  balance_type text,
  indicator text not null check (indicator in ('Credit', 'Debit')),
  status text not null
    check (status in ('Booked', 'Future', 'Information', 'Pending', 'Rejected')),
  currency text not null,
  -- ISO 20022 bank transaction code (domain, family and sub-family), such as 'PMNT-ICDT-DMCT'
  iso_code text check (iso_code ~ '^[A-Z]{4}-[A-Z]{4}-[A-Z]{4}$'),
  -- the bank's own code, as printed on its statements
  bank_code text,
  bank_code_issuer text,
  reference text,
  information text,
  merchant_name text,
  -- ISO 18245
  merchant_category_code text,
  card_scheme text,
  card_authorisation text,
  -- the last four digits; the rest of a card's number is never stored
  card_ending text check (length(card_ending) <= 4),
  party_scheme text,
  party_identification text,
  party_name text,
  -- facts that few transactions have, and texts that are too long for an index
  particulars json,
  has_particulars boolean not null generated always as (particulars is not null) stored,
  -- the bank's id of the booking; it is never shown
  posting_id text,
  -- The short facts as a JSON array without nulls at its end; pages of transactions read this
  -- column. `StoredFacts` lists its members. Facts that few transactions have come last. The value
  -- date is in microseconds since 1970.
  facts text not null generated always as (rtrim(json_array(indicator, status, amount_minor,
    currency, iso_code, information, balance_minor, balance_type, bank_code, bank_code_issuer,
    reference, merchant_name, merchant_category_code, party_scheme, party_identification,
    party_name, card_scheme, card_authorisation, card_ending,
    (date_part('epoch', value_at - '1970-01-01 00:00:00Z'::timestamptz) * 1000000)::bigint
    null on null returning text), ', nul]') || ']') stored,
  -- The index contains the short facts, so a page is read from neighbouring index entries. The
  -- table's rows are in the order of booking, so one account's rows are far apart.
  primary key (account_id, booked_at, transaction_id)
    include (indicator, status, facts, has_particulars),
  check ((balance_minor is null) = (balance_type is null))
) with (
  -- An index-only scan skips the table only for pages that vacuum has marked as all-visible.
  autovacuum_vacuum_insert_scale_factor = 0.02
);
create unique index account_transaction_id on account_transaction (transaction_id);
create index account_transaction_pending on account_transaction (account_id, booked_at)
  where status = 'Pending';
-- pending card purchases are booked when they fall due, for all accounts together
create index account_transaction_pending_due on account_transaction (booked_at)
  where status = 'Pending';

-- The balances of an account in one currency, as the bank states them together. They are one fact,
-- so they are always consistent. A bank that keeps its ledger in this database stores them in the
-- transaction that moves the money.
create table account_balance (
  account_id text not null references account,
  currency text not null,
  -- the bank's version of the fact: only a newer version replaces it
  version bigint not null,
  -- when the bank stated the balances
  stated_at timestamptz not null,
  -- negative when overdrawn; null if the bank does not state that balance
  booked_minor bigint,
  available_minor bigint,
  -- the credit lines of the available balance: [{type, isIncluded, amountMinor}]; null if there are
  -- none
  credit_lines json,
  -- balances of kinds that few banks state, and balances with an amount in another currency too:
  -- [{type, amountMinor, creditLines, localAmount}]
  further json,
  -- 'Base': the bank's own accounting currency. 'Local': that of the market in which the money is
  -- held. Null if the bank does not say.
  currency_kind text check (currency_kind in ('Base', 'Local')),
  primary key (account_id, currency)
)
-- while a page has room, a balance changes in place, without new index entries
with (fillfactor = 50);

-- The time up to which the bank has delivered all changes of an account, for each cluster of facts.
create table account_freshness (
  account_id text not null references account,
  cluster text not null
    check (cluster in ('account', 'balances', 'transactions', 'regular-payments', 'statements')),
  -- infinity: the bank sends each change in the transaction that makes it
  as_of timestamptz not null,
  primary key (account_id, cluster)
);
-- finds the account that lags most
create index account_freshness_oldest on account_freshness (cluster, as_of);

-- Facts that the bank has removed. If an older version of such a fact arrives late, it is not
-- stored.
create table removed_fact (
  entity text not null,
  key text not null,
  version bigint not null,
  removed_at timestamptz not null default now(),
  primary key (entity, key)
);
create index removed_fact_age on removed_fact (removed_at);

-- A permanently closed period of an account: the sums of the transactions that were booked from
-- starts_at until before ends_at. A term that the bank does not have is null or absent, and is not
-- shown.
create table account_statement (
  account_id text not null references account,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  statement_id text not null unique,
  -- the number of the statement in the account's series
  number integer not null,
  created_at timestamptz not null,
  -- the days that the statement covers, in the form shown to the customer
  period_name text,
  currency text not null,
  -- as in `account_balance`
  currency_kind text check (currency_kind in ('Base', 'Local')),
  opening_minor bigint not null,
  closing_minor bigint not null,
  credits_minor bigint not null,
  debits_minor bigint not null,
  credit_count integer not null,
  debit_count integer not null,
  -- the overdraft or credit limit when the statement was made
  limit_minor bigint not null,
  costs json not null,
  -- a card's minimum payment: 0 if nothing is owed, null if the bank asks for none
  minimum_payment_minor bigint check (minimum_payment_minor >= 0),
  payment_due_at timestamptz,
  -- [{type, rate}]: type is a code of the standard or of the bank's namespace, rate is in percent.
  -- No version can show a rate with more digits than these.
  rates json not null default '[]' check (not jsonb_path_exists(rates::jsonb,
    '$[*] ? (!(exists(@.rate ? (@ like_regex "^-?[0-9]{1,3}([.][0-9]{1,4})?$"))))')),
  -- facts that few statements have, `StatementParticulars`
  particulars json,
  -- the bank's version of the fact: only a newer version replaces it
  version bigint not null default 1,
  primary key (account_id, starts_at, statement_id),
  check (closing_minor = opening_minor + credits_minor - debits_minor)
);
comment on column account_statement.costs is
  '[{type, indicator, text, amount, code, frequency, rate, rateType}]: type CHG, INT or IND; amount '
  'in minor units as text; code, frequency and rateType of the standard''s or of the bank''s '
  'namespace; rate in percent. A cost without a code is only in the totals.';

-- New transactions may move the start of their account's history.
create function account_history_grows() returns trigger language plpgsql
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
    raise exception 'the account of an entry must exist' using errcode = '23503';
  end if;
  update account a set history_from = m.first_booked_at
  from unnest(accounts, firsts) as m(account_id, first_booked_at)
  where a.account_id = m.account_id
    and (a.history_from is null or a.history_from > m.first_booked_at);
  return null;
end $body$;
create trigger account_history_grows after insert on account_transaction
  referencing new table as new_entry
  for each statement execute function account_history_grows();
create trigger account_history_moves after update on account_transaction
  referencing new table as new_entry
  for each statement execute function account_history_grows();

-- Makes feeders of the same accounts take turns until their transactions end. Otherwise a removal
-- could miss a fact that another feeder is storing, and that feeder could miss the removal. All
-- feeders lock accounts before any other fact, in the order of their ids, so that they cannot
-- deadlock.
create function lock_accounts(accounts text[]) returns void language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  perform 1 from account where account_id = any(accounts)
  order by account_id for no key update;
end $body$;

-- Stores transactions, given as rows of account_transaction in JSON, each at most once. A
-- transaction is stored only if its version is newer than the stored one. If `bookings` is given,
-- only the transactions of those bookings are stored.
create function feed_transactions(given json, bookings text[] default null) returns void
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  insert into account_transaction as t (account_id, transaction_id, booked_at, value_at, version,
    amount_minor, balance_minor, balance_type, indicator, status, currency, iso_code, bank_code,
    bank_code_issuer, reference, information, merchant_name, merchant_category_code, card_scheme,
    card_authorisation, card_ending, party_scheme, party_identification, party_name, particulars,
    posting_id)
  select g.account_id, g.transaction_id, g.booked_at, g.value_at, g.version, g.amount_minor,
    g.balance_minor, g.balance_type, g.indicator, g.status, g.currency, g.iso_code, g.bank_code,
    g.bank_code_issuer, g.reference, g.information, g.merchant_name, g.merchant_category_code,
    g.card_scheme, g.card_authorisation, g.card_ending, g.party_scheme, g.party_identification,
    g.party_name, g.particulars, g.posting_id
  from json_populate_recordset(null::account_transaction, given) g
  where (bookings is null or g.posting_id = any(bookings))
    and not exists (select from removed_fact r where r.entity = 'transaction'
      and r.key = g.transaction_id and r.version >= g.version)
  on conflict (transaction_id) do update set account_id = excluded.account_id,
    booked_at = excluded.booked_at, value_at = excluded.value_at, version = excluded.version,
    amount_minor = excluded.amount_minor, balance_minor = excluded.balance_minor,
    balance_type = excluded.balance_type, indicator = excluded.indicator,
    status = excluded.status, currency = excluded.currency, iso_code = excluded.iso_code,
    bank_code = excluded.bank_code, bank_code_issuer = excluded.bank_code_issuer,
    reference = excluded.reference, information = excluded.information,
    merchant_name = excluded.merchant_name,
    merchant_category_code = excluded.merchant_category_code,
    card_scheme = excluded.card_scheme, card_authorisation = excluded.card_authorisation,
    card_ending = excluded.card_ending, party_scheme = excluded.party_scheme,
    party_identification = excluded.party_identification, party_name = excluded.party_name,
    particulars = excluded.particulars, posting_id = excluded.posting_id
  where t.version < excluded.version;
end $body$;

-- Stores balances: at most one row per account and currency. A row is stored only if its version is
-- newer than the stored one. If its time is null, the stored time remains. If `stated` is null,
-- nothing is stored.
create function feed_balances(stated account_balance[]) returns void language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  changed integer;
begin
  if stated is null then return; end if;
  -- as `lock_accounts` does: a ledger sends balances first, and then the entries of these accounts
  perform 1 from account where account_id = any(array(select g.account_id from unnest(stated) g))
  order by account_id for no key update;
  update account_balance b set version = g.version, booked_minor = g.booked_minor,
    available_minor = g.available_minor, stated_at = coalesce(g.stated_at, b.stated_at),
    credit_lines = g.credit_lines, further = g.further, currency_kind = g.currency_kind
  from unnest(stated) g
  where b.account_id = g.account_id and b.currency = g.currency and b.version < g.version;
  get diagnostics changed = row_count;
  if changed = cardinality(stated) then return; end if;
  insert into account_balance as b (account_id, currency, version, stated_at, booked_minor,
    available_minor, credit_lines, further, currency_kind)
  select g.account_id, g.currency, g.version, coalesce(g.stated_at, now()), g.booked_minor,
    g.available_minor, g.credit_lines, g.further, g.currency_kind
  from unnest(stated) g
  where not exists (select from removed_fact r where r.entity = 'balances'
    and r.key = concat_ws(' ', g.account_id, g.currency) and r.version >= g.version)
  on conflict (account_id, currency) do update set version = excluded.version,
    booked_minor = excluded.booked_minor, available_minor = excluded.available_minor,
    stated_at = excluded.stated_at, credit_lines = excluded.credit_lines,
    further = excluded.further, currency_kind = excluded.currency_kind
  where b.version < excluded.version;
end $body$;

-- An offer that the bank makes to the customer of one account. `details` is `OfferFacts`.
create table offer (
  offer_id text primary key,
  account_id text not null references account,
  ends_at timestamptz not null,
  details json not null,
  -- the bank's version of the fact: only a newer version replaces it
  version bigint not null default 1
);
create index offer_account on offer (account_id, offer_id);

-- A customer's payees. The list is the customer's, not the account's.
create table beneficiary (
  beneficiary_id text primary key,
  customer_id text not null,
  -- 'Trusted' if the customer has marked the payee as trusted
  beneficiary_type text not null default 'Ordinary'
    check (beneficiary_type in ('Trusted', 'Ordinary')),
  scheme_name text not null,
  identification text not null check (identification <> ''),
  name text,
  secondary_identification text,
  -- {code, identification, type}: an alias of the account, such as a mobile phone number,
  -- `AccountProxy`
  proxy json,
  -- the BIC of the payee's bank; null if the account number identifies the bank
  creditor_bic text check (creditor_bic ~ '^[A-Z0-9]{8}([A-Z0-9]{3})?$'),
  -- {name, lei, address}: further facts of the payee's bank, `AgentFact`
  creditor_agent json,
  -- the reference that the payee receives with each payment
  reference text check (length(reference) between 1 and 35),
  created_at timestamptz not null,
  -- facts for which the standard has no member
  supplementary json,
  -- the bank's version of the fact: only a newer version replaces it
  version bigint not null default 1
);
create unique index beneficiary_account on beneficiary (customer_id, scheme_name, identification,
  coalesce(secondary_identification, ''), coalesce(creditor_bic, ''));

-- A direct debit mandate: the originator may collect from the account.
create table direct_debit (
  direct_debit_id text primary key,
  account_id text not null references account,
  mandate_reference text not null check (length(mandate_reference) between 1 and 35),
  originator_name text not null check (length(originator_name) between 1 and 70),
  frequency text not null check (frequency in ('Annual', 'Daily', 'Fortnightly', 'HalfYearly',
    'Monthly', 'NotKnown', 'Quarterly', 'Weekly')),
  -- `MandateState`
  status text not null check (status in ('Active', 'Cancelled', 'Expired', 'Suspended')),
  status_updated_at timestamptz not null,
  -- {identification, classification, categoryPurpose, reason}: `Mandate`
  mandate json,
  -- the newest collection that was paid; null if none was
  previous_at timestamptz,
  previous_minor bigint check (previous_minor > 0),
  previous_currency text,
  -- the bank's version of the fact: only a newer version replaces it
  version bigint not null default 1,
  unique (account_id, mandate_reference),
  check ((previous_at is null) = (previous_minor is null)
    and (previous_at is null) = (previous_currency is null))
);

-- Standing orders that customers set up in the bank's own channels. Aldgate executes standing
-- orders that came through it, and reads those from its own orders.
create table channel_standing_order (
  standing_order_id text primary key,
  account_id text not null references account,
  -- {unit, every, day …}: `Rhythm`
  rhythm json not null,
  reference text,
  currency text not null,
  number_of_payments integer check (number_of_payments > 0),
  -- `MandateState`
  state text not null check (state in ('Active', 'Cancelled', 'Expired', 'Suspended')),
  first_payment_on date,
  first_payment_minor bigint not null,
  -- the date of the second payment, if it was given
  recurring_payment_on date,
  next_payment_at timestamptz,
  next_payment_minor bigint,
  last_payment_at timestamptz,
  last_payment_minor bigint,
  -- null if the order has no end date
  final_payment_on date,
  final_payment_minor bigint,
  -- {identification, classification, categoryPurpose, reason}: `Mandate`
  mandate json,
  -- {structured, unstructured}: `Remittance`
  remittance json,
  -- {schemeName, identification, name, secondaryIdentification?, proxy?}
  creditor json not null,
  -- {bic, name, lei, address}: `AgentFact`; null if the account number identifies the bank
  creditor_agent json,
  -- facts for which the standard has no member
  supplementary json,
  -- the bank's version of the fact: only a newer version replaces it
  version bigint not null,
  check ((next_payment_at is null) = (next_payment_minor is null)),
  check ((last_payment_at is null) = (last_payment_minor is null))
);
create index channel_standing_order_account
  on channel_standing_order (account_id, standing_order_id);

-- Scheduled payments that customers ordered in the bank's own channels and that have not been made
-- yet.
create table channel_scheduled_payment (
  scheduled_payment_id text primary key,
  account_id text not null references account,
  execute_at timestamptz not null,
  reference text,
  -- the customer's own reference
  debtor_reference text,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  -- {schemeName, identification, name, secondaryIdentification?, proxy?}
  creditor json not null,
  -- {bic, name, lei, address}: `AgentFact`; null if the account number identifies the bank
  creditor_agent json,
  -- the bank's version of the fact: only a newer version replaces it
  version bigint not null
);
create index channel_scheduled_payment_account
  on channel_scheduled_payment (account_id, execute_at, scheduled_payment_id);
