-- Room: consents. The consents, and how often each is used while its customer is not present.

create domain consent_status as text
  check (value in ('AWUP', 'AWAU', 'AUTH', 'RJCT', 'COND', 'CANC', 'EXPD'));
create domain authorisation_ending as text
  check (value in ('replaced', 'revoked', 'deleted', 'expired', 'grant destroyed'));
create domain covering_ending as text check (value in ('withdrawn'));

create table consent (
  consent_id text primary key,
  kind text not null,
  -- the API version on which it was created, such as `pisp-v4.0`
  api_version text not null,
  client_id text not null references client,
  status consent_status not null,
  -- why it has this status: [{code, text, path?}]
  status_reason json not null default '[]',
  created_at timestamptz not null,
  status_updated_at timestamptz not null,
  -- When the consent began to wait for its customer or its file; null if it is not waiting, or was
  -- deleted. This column and `lapses_at` depend on other columns, but are not generated: the server
  -- would parse their expressions again for each statement that writes a consent. Each statement
  -- that sets the status sets them too (src/consents/set-status.ts).
  waits_since timestamptz,
  -- when the consent expires; null if it never does, and for consents to one payment
  expires_at timestamptz,
  deleted_at timestamptz,
  -- when the consent will expire; null if it never does, has ended, or was deleted
  lapses_at timestamptz,
  -- the request's Data and Risk, as received
  body json not null,
  -- what the bank added when it accepted the consent: charges, cut-off, expected dates
  terms json not null default '{}',
  -- account access only
  permissions text[] not null default '{}',
  transactions_from timestamptz,
  transactions_to timestamptz,
  -- set when the customer authorises the consent
  customer_id text,
  -- The account that a payment consent was authorised for, as the customer saw it. Orders and reads
  -- of the consent use this copy and so need no call to the bank's core.
  debtor json,
  grant_id text unique,
  authorised_at timestamptz,
  authenticated_at timestamptz,
  -- The last change: its number, who made it, the request that made it, and when. `changed_by` is
  -- null if the statement that made the change wrote the history itself.
  revision integer not null default 1,
  changed_by text default 'bank',
  interaction_id text,
  changed_at timestamptz
)
-- Every payment changes its consent's status. If no indexed value changes and the page has room,
-- PostgreSQL writes only the row and no index entries.
with (fillfactor = 60);
create index consent_client on consent (client_id, created_at);
create index consent_customer on consent (customer_id, created_at) where customer_id is not null;
create index consent_waiting on consent (waits_since) where waits_since is not null;
create index consent_lapsing on consent (lapses_at) where lapses_at is not null;
-- consents that no customer authorised are deleted after a time
create index consent_unauthorised on consent (created_at) where authorised_at is null;

-- One row per authorisation of a consent by a customer: the evidence for the grant, and how the
-- grant ended.
create table consent_authorisation (
  grant_id text primary key,
  consent_id text not null references consent on delete cascade,
  customer_id text not null,
  authorised_at timestamptz not null,
  -- how the customer was authenticated: the level, the methods, and the challenge that was answered
  acr text not null,
  amr text[] not null,
  challenge_id text not null,
  -- SHA-256 of the text that the customer was shown and confirmed
  shown_hash text not null,
  -- when the grant ended, by the bank's clock; null while the consent uses the grant
  ended_at timestamptz,
  ending authorisation_ending,
  check ((ended_at is null) = (ending is null))
);
create index consent_authorisation_history on consent_authorisation (consent_id, authorised_at);

create function end_authorisation() returns trigger language plpgsql as $$
begin
  if old.grant_id is null or new.grant_id is not distinct from old.grant_id
    and new.deleted_at is not distinct from old.deleted_at
    and (new.status = old.status or new.status not in ('CANC', 'EXPD', 'RJCT'))
  then
    return null;
  end if;
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
-- The statement of a payment, which writes the history itself, ends no authorisation. The condition
-- is short, because the server compiles it for each statement.
create trigger consent_authorisation_ended after update on consent for each row
  when (new.changed_by is not null or new.revision = old.revision)
  execute function end_authorisation();

-- The accounts that a consent covers. They are chosen once, when the customer first authorises the
-- consent. A row has an end if the customer withdrew the account before the consent ended.
create table consent_account (
  consent_id text not null references consent on delete cascade,
  account_id text not null,
  -- by the bank's clock
  covered_from timestamptz not null,
  covered_until timestamptz,
  reason covering_ending,
  -- reads ask for the accounts without an end, and the index alone answers them
  primary key (consent_id, account_id) include (covered_until),
  check ((covered_until is null) = (reason is null))
);
-- events of an account look for the consents that covered it
create index consent_account_covering on consent_account (account_id);

-- Stores the chosen accounts, unless the consent already has accounts. The caller has locked the
-- consent's row. The statements in this function take a new snapshot, so they see what the previous
-- holder of the lock committed; the caller's statement does not.
create function choose_accounts(consent text, chosen text[], at timestamptz) returns void
language plpgsql as $$
begin
  if not exists (select from consent_account where consent_id = consent) then
    insert into consent_account (consent_id, account_id, covered_from)
    select consent, account_id, at from unnest(chosen) as account_id;
  end if;
end $$;

-- Locks consents until the end of the transaction and returns those that are not deleted, each with its
-- status. They are locked in the order of their ids, so that two batches never wait for each other.
-- Whatever the caller reads in its next statement has all that earlier users have stored.
create function lock_consents(ids text[]) returns table (consent_id text, status text)
language plpgsql as $$
begin
  return query select c.consent_id, c.status::text from consent c
    where c.consent_id = any(ids) and c.deleted_at is null
    order by c.consent_id for no key update;
end $$;

-- Builds the facts of a consent in its history as `order_history` builds those of an order. `rare`
-- has the members that few consents have. The statements of every payment omit it: their consents
-- have no such member. The brackets group the constant parts, so that the planner concatenates
-- them once.
create function consent_history(status text, reasons text, grant_id text, deleted_at timestamptz,
  rare text default '')
returns text language sql stable as $$
  select ('{"status":"' || status || '","reasons":' || reasons || ',"grant":')
    || coalesce('"' || grant_id || '"', 'null')
    || (',"deleted":' || (deleted_at is not null)::text || rare || '}')
$$;
-- The members that few consents have: the accounts that the customer withdrew, and that the
-- contract under which the consent was created has ended. Each member begins with a comma.
create function rare_consent_history(consent text, terms json) returns text
language sql stable as $$
  select coalesce((
      select ',"withdrawn":' || json_agg(a.account_id order by a.account_id)
      from consent_account a where a.consent_id = consent and a.covered_until is not null), '')
    || case when terms->'vrpContract'->>'endedAt' is null then ''
      else ',"contractEnded":true' end
$$;
create function history_of(c consent, out object_id text, out facts json, out api_version text,
  out happened_at timestamptz)
language sql stable as $$
  select c.consent_id, consent_history(c.status, c.status_reason::text, c.grant_id, c.deleted_at,
      rare_consent_history(c.consent_id, c.terms))::json,
    c.api_version, c.status_updated_at
$$;
create trigger consent_created after insert on consent for each row
  when (new.changed_by is not null) execute function record_change('consent');
create trigger consent_changed after update on consent for each row
  when (new.changed_by is not null or new.revision = old.revision)
  execute function record_change('consent');

-- How often a consent's resource was read without the customer on one day (UTC), counted over all
-- processes. Each count deletes the counts of past days.
create table unattended_access (
  day date not null,
  consent_id text not null,
  operation_id text not null,
  -- empty if the path names no account
  account_id text not null,
  accesses integer not null,
  primary key (day, consent_id, operation_id, account_id)
);
