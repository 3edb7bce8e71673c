-- Room: consents. The consents, and how often each is used without its customer.

create table consent (
  consent_id text primary key,
  kind text not null,
  -- the version of the API that it was lodged on: `pisp-v4.0`
  api_version text not null,
  client_id text not null references client,
  status text not null check (status in ('AWUP', 'AWAU', 'AUTH', 'RJCT', 'COND', 'CANC', 'EXPD')),
  status_reason json not null default '[]',
  created_at timestamptz not null,
  status_updated_at timestamptz not null,
  -- when the consent began to wait for its customer or its file; null when it does not wait
  waits_since timestamptz generated always as (
    case when status in ('AWAU', 'AWUP') then created_at end) stored,
  -- when an account access consent expires; null if it does not, and for payments
  expires_at timestamptz,
  deleted_at timestamptz,
  -- the request's Data and Risk, as received
  body json not null,
  -- what the bank added when it accepted the consent: charges, cut-off, expected dates
  terms json not null default '{}',
  -- account access only
  permissions text[] not null default '{}',
  transactions_from timestamptz,
  transactions_to timestamptz,
  -- set when the customer authorises
  customer_id text,
  account_ids text[] not null default '{}',
  -- the account that a payment consent was authorised for, as the customer saw it: orders and reads
  -- of the consent use it, without a call to the bank's core
  debtor json,
  grant_id text unique,
  authorised_at timestamptz,
  authenticated_at timestamptz
)
-- Every payment changes its consent's status. No index may name what changes then, and the page must
-- have room: the server then writes the row alone, and no index entries.
with (fillfactor = 60);
create index consent_client on consent (client_id, created_at);
create index consent_customer on consent (customer_id, created_at) where customer_id is not null;
create index consent_waiting on consent (waits_since) where waits_since is not null;
-- consents that no customer has authorised are deleted after a time
create index consent_unauthorised on consent (created_at) where authorised_at is null;

-- How often a consent's resource was read without the customer, on a day in UTC: one count for all
-- processes. The next count deletes the counts of past days.
create table unattended_access (
  day date not null,
  consent_id text not null,
  operation_id text not null,
  -- empty if the path names no account
  account_id text not null,
  accesses integer not null,
  primary key (day, consent_id, operation_id, account_id)
);
