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
  -- when a consent that was authorised will expire; null if it does not, or has ended otherwise
  lapses_at timestamptz generated always as (
    case when status in ('AUTH', 'CANC') and deleted_at is null then expires_at end) stored,
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
  -- the account that a payment consent was authorised for, as the customer saw it: orders and reads
  -- of the consent use it, without a call to the bank's core
  debtor json,
  grant_id text unique,
  authorised_at timestamptz,
  authenticated_at timestamptz,
  -- the last change: how many there were, who made it, by which request, and when. `changed_by` is
  -- null if the statement that made the change wrote the history itself
  revision integer not null default 1,
  changed_by text default 'bank' check (changed_by in ('tpp', 'customer', 'bank', 'clock')),
  interaction_id text,
  changed_at timestamptz
)
-- Every payment changes its consent's status. No index may name what changes then, and the page must
-- have room: the server then writes the row alone, and no index entries.
with (fillfactor = 60);
create index consent_client on consent (client_id, created_at);
create index consent_customer on consent (customer_id, created_at) where customer_id is not null;
create index consent_waiting on consent (waits_since) where waits_since is not null;
create index consent_lapsing on consent (lapses_at) where lapses_at is not null;
-- consents that no customer has authorised are deleted after a time
create index consent_unauthorised on consent (created_at) where authorised_at is null;

-- Each time that a customer authorised a consent: what the grant stands on, and how it ended.
create table consent_authorisation (
  grant_id text primary key,
  consent_id text not null references consent on delete cascade,
  customer_id text not null,
  authorised_at timestamptz not null,
  -- how the customer was authenticated: the level, the methods, and the challenge that was answered
  acr text not null,
  amr text[] not null,
  challenge_id text not null,
  -- SHA-256 of what the customer was shown and confirmed
  shown_hash text not null,
  -- null while the grant is the consent's; by the bank's clock
  ended_at timestamptz,
  ending text check (ending in ('replaced', 'revoked', 'deleted', 'expired', 'grant destroyed')),
  check ((ended_at is null) = (ending is null))
);
create index consent_authorisation_history on consent_authorisation (consent_id, authorised_at);

create function end_authorisation() returns trigger language plpgsql as $$
begin
  update consent_authorisation set ended_at = coalesce(new.changed_at, new.status_updated_at),
    ending = case
      when new.deleted_at is not null then 'deleted'
      when new.grant_id is null then 'grant destroyed'
      when new.grant_id <> old.grant_id then 'replaced'
      when new.status = 'EXPD' then 'expired'
      else 'revoked' end
  where grant_id = old.grant_id and ended_at is null;
  return null;
end $$;
create trigger consent_authorisation_ended after update on consent for each row
  when (old.grant_id is not null and (
    new.grant_id is distinct from old.grant_id or new.deleted_at is distinct from old.deleted_at
    or new.status <> old.status and new.status in ('CANC', 'EXPD', 'RJCT')))
  execute function end_authorisation();

-- The accounts that a consent covers: chosen once, when the customer first authorises the consent.
-- A row has an end if the customer withdrew the account before the consent ended.
create table consent_account (
  consent_id text not null references consent on delete cascade,
  account_id text not null,
  -- by the bank's clock
  covered_from timestamptz not null,
  covered_until timestamptz,
  reason text check (reason in ('withdrawn')),
  -- reads ask for the accounts without an end: the index answers them
  primary key (consent_id, account_id) include (covered_until),
  check ((covered_until is null) = (reason is null))
);

-- Stores the chosen accounts, unless the consent has accounts already. Its caller has locked the
-- consent's row; the statements in here see what was committed before, which the caller does not.
create function choose_accounts(consent text, chosen text[], at timestamptz) returns void
language plpgsql as $$
begin
  if not exists (select from consent_account where consent_id = consent) then
    insert into consent_account (consent_id, account_id, covered_from)
    select consent, account_id, at from unnest(chosen) as account_id;
  end if;
end $$;

-- The facts of a consent in its history.
create function consent_history(status text, reasons json, grant_id text, deleted_at timestamptz)
returns json language sql stable as $$
  select json_build_object('status', status, 'reasons', reasons, 'grant', grant_id,
    'deleted', deleted_at is not null)
$$;
create function history_of(c consent, out object_id text, out facts json, out api_version text,
  out happened_at timestamptz)
language sql stable as $$
  select c.consent_id, consent_history(c.status, c.status_reason, c.grant_id, c.deleted_at),
    c.api_version, c.status_updated_at
$$;
create trigger consent_created after insert on consent for each row
  when (new.changed_by is not null) execute function record_change('consent');
create trigger consent_changed after update on consent for each row
  when (new.changed_by is not null or new.revision = old.revision)
  execute function record_change('consent');

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
