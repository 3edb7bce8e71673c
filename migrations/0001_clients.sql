-- Room: clients. The clients (TPPs) that are registered with the bank: the directory's data about
-- their organisations and software, their registrations, the bank's settings for them and their
-- keys.

create table organisation (
  -- the directory's id
  organisation_id text primary key,
  name text not null
);

-- A TPP's software, as its newest software statement describes it.
create table software (
  software_id text primary key,
  organisation_id text not null references organisation,
  -- the name that customers know
  name text not null,
  -- the firm that this firm acts for, if it acts for another
  on_behalf_of text,
  roles text[] not null,
  -- the issuer of the software statement; null if the bank registered the software without one
  statement_issuer text,
  -- where the directory publishes the software's keys, and those that it has revoked; null if the
  -- statement or the registration contains the keys
  jwks_uri text,
  revoked_jwks_uri text,
  -- when the keys were last read, and when they are to be read next
  keys_read_at timestamptz,
  keys_due_at timestamptz,
  -- when the directory's status of the software was last read, and when it is to be read next; null
  -- for now
  status_read_at timestamptz,
  status_due_at timestamptz,
  unique (software_id, organisation_id)
);
create index software_status_due on software (statement_issuer, status_due_at);
create index software_keys_due on software (keys_due_at) where keys_due_at is not null;

-- A registration of a piece of software. One piece may have several registrations.
create table client (
  client_id text primary key,
  software_id text not null,
  organisation_id text not null,
  foreign key (software_id, organisation_id) references software (software_id, organisation_id),
  -- the registered metadata (RFC 7591), and the software statement as it was received
  metadata json not null,
  -- Attributes of a distinguished name (RFC 4514): OU is the organisation, CN the software. The
  -- subject of the client's certificate must have each of them with this value. Null for a client
  -- without certificates.
  certificate_subject text,
  created_at timestamptz not null,
  unique (client_id, software_id, organisation_id)
);
create index client_software on client (software_id);

-- The bank's settings for a client, which registration never changes, and everything else that each
-- request of the client needs. So a token's row is joined with only this table.
create table client_setting (
  client_id text primary key,
  -- the same values as in client
  software_id text not null,
  organisation_id text not null,
  foreign key (client_id, software_id, organisation_id)
    references client (client_id, software_id, organisation_id)
    on update cascade on delete cascade,
  -- suspended: refused everywhere until the bank restores it. removed: always refused; the row is
  -- kept because consents and orders refer to it.
  status text not null default 'active' check (status in ('active', 'suspended', 'removed')),
  -- what suspended the client, and why. The bank restores only clients that the directory suspended
  -- when the directory's status changes.
  suspended_by text check (suspended_by in ('bank', 'directory')),
  suspended_because text,
  -- registered scopes that the directory no longer allows; tokens with one of them are refused
  withheld_scopes text[] not null default '{}',
  -- whether the client's tokens are bound to its certificate; always true except in a sandbox
  certificate_bound boolean not null default true,
  -- the contracts for recurring payments other than sweeping; read only when a consent is created
  vrp_contracts json not null default '[]',
  -- raised by every change of the client's keys, so that caches read the keys again
  jwks_version integer not null default 0,
  -- the last change of the client; see the same columns of consent
  revision integer not null default 1,
  changed_by text default 'bank' check (changed_by in ('tpp', 'customer', 'bank', 'clock')),
  interaction_id text,
  changed_at timestamptz
);

create table client_key (
  client_id text not null references client on delete cascade,
  -- the `kid` of the key, or the thumbprint of a key without one
  kid text not null,
  use text not null check (use in ('sig', 'enc', 'tls')),
  jwk json not null,
  -- active: accepted. retired: replaced by the client, and stored as evidence. withdrawn: revoked
  -- by the directory or the bank, and never accepted again.
  state text not null default 'active' check (state in ('active', 'retired', 'withdrawn')),
  -- the period in which an active key is accepted; null sets no limit
  not_before timestamptz,
  not_after timestamptz,
  check (not_before < not_after),
  -- where the key came from
  source text not null check (source in ('registration', 'directory')),
  created_at timestamptz not null,
  primary key (client_id, kid)
);

create function client_key_changed() returns trigger language plpgsql as $body$
begin
  if tg_op = 'UPDATE' and old.state = 'withdrawn' and new.state <> 'withdrawn' then
    raise exception 'a withdrawn key is never accepted again' using errcode = '23514';
  end if;
  update client_setting set jwks_version = jwks_version + 1
  where client_id = case tg_op when 'DELETE' then old.client_id else new.client_id end;
  return null;
end $body$;
create trigger client_key_changed after insert or update or delete on client_key
  for each row execute function client_key_changed();

-- The history of clients. One trigger writes it, whichever of the tables changes.
create function history_of(s client_setting, out object_id text, out facts json,
  out api_version text, out happened_at timestamptz)
language sql stable as $body$
  select s.client_id, json_build_object('status', s.status, 'suspendedBy', s.suspended_by,
      'suspendedBecause', s.suspended_because, 'withheldScopes', s.withheld_scopes,
      'certificateBound', s.certificate_bound, 'certificateSubject', c.certificate_subject,
      -- a statement has up to 64 kB, so that the history has its hash
      'metadata', c.metadata::jsonb - 'software_statement',
      'statementSha256',
        encode(sha256(convert_to(c.metadata->>'software_statement', 'UTF8')), 'hex'),
      'vrpContracts', s.vrp_contracts,
      'keys', coalesce((
        select json_agg(json_build_object('kid', k.kid, 'use', k.use, 'state', k.state,
          'notBefore', k.not_before, 'notAfter', k.not_after) order by k.kid)
        from client_key k where k.client_id = s.client_id), '[]')),
    null::text, clock_timestamp()
  from client c where c.client_id = s.client_id
$body$;
create trigger client_created after insert on client_setting
  for each row execute function record_change('client');
create trigger client_changed after update on client_setting
  for each row execute function record_change('client');

create function client_registration_changed() returns trigger language plpgsql as $body$
begin
  -- an update without a change, which makes the trigger write the history
  update client_setting set client_id = client_id where client_id = new.client_id;
  return null;
end $body$;
create trigger client_registration_changed after update on client for each row
  when (new.certificate_subject is distinct from old.certificate_subject
    or new.metadata::text is distinct from old.metadata::text)
  execute function client_registration_changed();
