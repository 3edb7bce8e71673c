-- What a customer's account pays again and again: payees, direct debits, payments of a later day.

-- Whom a customer pays; the list is the customer's own, whichever account pays.
create table beneficiary (
  beneficiary_id text primary key,
  customer_id text not null references customer,
  -- 'Trusted' when the customer has said so
  beneficiary_type text not null default 'Ordinary'
    check (beneficiary_type in ('Trusted', 'Ordinary')),
  scheme_name text not null,
  identification text not null check (identification <> ''),
  name text,
  secondary_identification text,
  -- of the payee's bank; null: the account's number says which it is
  creditor_bic text check (creditor_bic ~ '^[A-Z0-9]{8}([A-Z0-9]{3})?$'),
  -- what the payee is told with each payment
  reference text check (length(reference) between 1 and 35),
  created_at timestamptz not null
);
create unique index beneficiary_account on beneficiary (customer_id, scheme_name, identification,
  coalesce(secondary_identification, ''), coalesce(creditor_bic, ''));

-- A mandate: an originator may collect from the account.
create table direct_debit (
  direct_debit_id text primary key,
  account_id text not null references account,
  mandate_reference text not null check (length(mandate_reference) between 1 and 35),
  originator_name text not null check (length(originator_name) between 1 and 70),
  -- where the money goes: the ledger's account of other banks' originators, or a card of this bank
  creditor_account_id text not null references ledger_account,
  frequency text not null check (frequency in ('Annual', 'Daily', 'Fortnightly', 'HalfYearly',
    'Monthly', 'Quarterly', 'Weekly')),
  -- what frequencies of months come back to after a month that is too short for it
  day_of_month integer not null check (day_of_month between 1 and 31),
  -- what the originator asks for lies between the two; null: what the creditor account, a card,
  -- owed when the month began
  least_minor bigint check (least_minor > 0),
  most_minor bigint check (most_minor >= least_minor),
  status text not null check (status in ('Active', 'Inactive')),
  status_updated_at timestamptz not null,
  -- the day that the next collection is for, which may be no working day
  next_on date not null,
  -- when it is tried next; null when it never will be
  due_at timestamptz,
  unique (account_id, mandate_reference),
  check ((least_minor is null) = (most_minor is null)),
  check ((status = 'Active') = (due_at is not null))
);
create index direct_debit_due on direct_debit (due_at) where due_at is not null;

-- What came of a collection. One a mandate and day, ever: that is what makes collecting twice
-- impossible.
create table direct_debit_collection (
  direct_debit_id text not null references direct_debit,
  due_on date not null,
  outcome text not null check (outcome in ('collected', 'unpaid')),
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  -- null when it went back unpaid
  posting_id text unique,
  decided_at timestamptz not null,
  primary key (direct_debit_id, due_on),
  check ((outcome = 'collected') = (posting_id is not null))
);

-- The payments of a later day that an account still has before it: ordered, signed by all who must,
-- and neither made nor refused nor cancelled.
create view scheduled_payment as
select p.payment_id, o.order_id, p.debtor_account_id as account_id, p.execute_at, p.reference,
  p.creditor, p.amount_minor, p.currency, c.body->'Data'->'Initiation' as initiation
from payment p
join payment_order o on o.order_id = p.order_id
join consent c on c.consent_id = o.consent_id
where p.execute_at is not null and p.due_at is not null
  and o.kind in ('domestic-scheduled-payment', 'international-scheduled-payment')
  and o.status in ('RCVD', 'PDNG', 'ACTC', 'ACCP', 'ACFC', 'ACSP')
  and coalesce(o.authorisation_status, 'AUTH') = 'AUTH';

create index payment_waiting on payment (debtor_account_id, execute_at)
  where execute_at is not null and due_at is not null;

-- The standing orders of an account, among all that it ever ordered.
create index payment_order_schedule on payment_order (debtor_account_id)
  where terms->'schedule' is not null;

-- What comes into an account again and again from outside the bank, such as wages: the sandbox pays
-- it as time goes by, so that what is collected can be paid.
create table sandbox_income (
  income_id text primary key,
  account_id text not null references account,
  -- the ledger's account that it comes out of
  source_account_id text not null references ledger_account,
  frequency text not null check (frequency in ('Daily', 'Weekly', 'Monthly')),
  day_of_month integer not null check (day_of_month between 1 and 31),
  -- whether it comes on the working day before when its day is none
  comes_before boolean not null,
  -- of the day, UTC: '09:42'
  time_of_day text not null,
  least_minor bigint not null check (least_minor > 0),
  most_minor bigint not null check (most_minor >= least_minor),
  -- as the account shows it: `TransactionType`, text, reference and who pays
  transaction_type text not null,
  information text not null,
  reference text,
  payer json,
  -- the day that the next one is for
  next_on date not null,
  due_at timestamptz not null
);
create index sandbox_income_due on sandbox_income (due_at);
