-- Room: consents. The consents, the history of all that changes, and how often each consent is used
-- without its customer.

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
  -- the last change: how many there were, who made it, by which request, and when
  revision integer not null default 1,
  changed_by text not null default 'bank' check (changed_by in ('tpp', 'customer', 'bank', 'clock')),
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

-- The history of consents and orders: one row per change, written by the statement that makes the
-- change. A row is never updated. It is deleted only with a consent that no customer ever authorised.
create table change (
  -- The changes of one object are in this order, because each waits for the lock of the one before.
  sequence bigint generated always as identity,
  -- Changes of several objects are complete up to the oldest transaction that is still running.
  transaction_id xid8 not null default pg_current_xact_id(),
  object_kind text not null check (object_kind in ('consent', 'order')),
  object_id text not null,
  -- the facts of the object that others are told of; null before it existed
  before json,
  after json not null,
  -- `unknown`: the statement did not say who makes the change
  cause text not null check (cause in ('tpp', 'customer', 'bank', 'clock', 'unknown')),
  -- x-fapi-interaction-id of the request that made the change
  interaction_id text,
  api_version text,
  -- by the bank's clock
  occurred_at timestamptz not null,
  primary key (object_id, sequence)
);
create index change_by_transaction on change (transaction_id, sequence);

create function keep_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if not exists (
      select from change c where c.object_id = old.object_id
        and (c.object_kind <> 'consent' or c.after->>'status' not in ('AWUP', 'AWAU', 'RJCT')))
    then
      return old;
    end if;
  end if;
  raise exception 'a change is never updated, and deleted only with an unauthorised consent';
end $$;
create trigger change_kept before update or delete on change
  for each row execute function keep_changes();
create trigger change_not_truncated before truncate on change
  for each statement execute function keep_changes();

-- Without nested loops, which compare each former row with each changed one.
create function record_consents() returns trigger language plpgsql
set enable_nestloop = off as $$
begin
  if tg_op = 'INSERT' then
    insert into change (object_kind, object_id, after, cause, interaction_id, api_version,
      occurred_at)
    select 'consent', n.consent_id, json_build_object('status', n.status,
        'reasons', n.status_reason, 'grant', n.grant_id, 'deleted', n.deleted_at is not null),
      n.changed_by, n.interaction_id, n.api_version, n.created_at
    from changed n;
  else
    insert into change (object_kind, object_id, before, after, cause, interaction_id, api_version,
      occurred_at)
    select 'consent', n.consent_id, json_build_object('status', o.status,
        'reasons', o.status_reason, 'grant', o.grant_id, 'deleted', o.deleted_at is not null),
      json_build_object('status', n.status,
        'reasons', n.status_reason, 'grant', n.grant_id, 'deleted', n.deleted_at is not null),
      case when n.revision > o.revision then n.changed_by else 'unknown' end,
      case when n.revision > o.revision then n.interaction_id end, n.api_version,
      case when n.revision > o.revision then n.changed_at else n.status_updated_at end
    from former o join changed n using (consent_id)
    where (n.status, n.grant_id, n.deleted_at) is distinct from
        (o.status, o.grant_id, o.deleted_at)
      or n.status_reason::text <> o.status_reason::text;
  end if;
  return null;
end $$;
create trigger consent_created after insert on consent
  referencing new table as changed for each statement execute function record_consents();
create trigger consent_changed after update on consent
  referencing old table as former new table as changed
  for each statement execute function record_consents();

-- The history of orders: the triggers are on their table.
create function record_orders() returns trigger language plpgsql
set enable_nestloop = off as $$
begin
  if tg_op = 'INSERT' then
    insert into change (object_kind, object_id, after, cause, interaction_id, api_version,
      occurred_at)
    select 'order', n.order_id, json_build_object('status', n.status, 'reasons', n.status_reason,
        'authorisation', n.authorisation_status, 'signatures', n.signatories_received),
      n.changed_by, n.interaction_id, n.api_version, n.created_at
    from changed n;
  else
    insert into change (object_kind, object_id, before, after, cause, interaction_id, api_version,
      occurred_at)
    select 'order', n.order_id, json_build_object('status', o.status, 'reasons', o.status_reason,
        'authorisation', o.authorisation_status, 'signatures', o.signatories_received),
      json_build_object('status', n.status, 'reasons', n.status_reason,
        'authorisation', n.authorisation_status, 'signatures', n.signatories_received),
      case when n.revision > o.revision then n.changed_by else 'unknown' end,
      case when n.revision > o.revision then n.interaction_id end, n.api_version,
      case when n.revision > o.revision then n.changed_at else n.status_updated_at end
    from former o join changed n using (order_id)
    where (n.status, n.authorisation_status, n.signatories_received) is distinct from
        (o.status, o.authorisation_status, o.signatories_received)
      or n.status_reason::text <> o.status_reason::text;
  end if;
  return null;
end $$;
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
