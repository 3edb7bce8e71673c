-- Room: clients. The clients (TPPs) that are registered with the bank: what the directory says of
-- their organisations and software, their registrations, the bank's settings and their keys.

create table organisation (
  -- the directory's id
  organisation_id text primary key,
  name text not null
);

-- A TPP's software, as its newest software statement describes it.
create table software (
  software_id text primary key,
  organisation_id text not null references organisation,
  -- as customers know it
  name text not null,
  -- whom it acts for, if its firm acts for another
  on_behalf_of text,
  roles text[] not null,
  unique (software_id, organisation_id)
);

-- A registration of a piece of software; it may have several.
create table client (
  client_id text primary key,
  software_id text not null,
  organisation_id text not null,
  foreign key (software_id, organisation_id) references software (software_id, organisation_id),
  -- the registered members of RFC 7591, and the software statement as it was received
  metadata json not null,
  -- attributes of a distinguished name (RFC 4514), each of which the certificate's subject must have
  -- with this value: OU is the organisation, CN the software. Null for a client without certificates
  certificate_subject text,
  created_at timestamptz not null,
  unique (client_id, software_id, organisation_id)
);
create index client_software on client (software_id);

-- What the bank decides for a client, which no registration changes, and all else that each of its
-- requests needs: a token's row is joined with this one alone.
create table client_setting (
  client_id text primary key,
  -- as in client
  software_id text not null,
  organisation_id text not null,
  foreign key (client_id, software_id, organisation_id)
    references client (client_id, software_id, organisation_id)
    on update cascade on delete cascade,
  status text not null default 'active' check (status in ('active', 'suspended')),
  -- whether its tokens are bound to its certificate; only a sandbox has clients without
  certificate_bound boolean not null default true,
  -- rises with every change of the client's keys, so that caches of the keys read them again
  jwks_version integer not null default 0,
  -- the last change of the client, as in consent
  revision integer not null default 1,
  changed_by text default 'bank' check (changed_by in ('tpp', 'customer', 'bank', 'clock')),
  interaction_id text,
  changed_at timestamptz
);

create table client_key (
  client_id text not null references client on delete cascade,
  -- the key's own id, or the thumbprint of a key without one
  kid text not null,
  use text not null check (use in ('sig', 'enc', 'tls')),
  jwk json not null,
  -- active: accepted; retired: replaced by the client, and stored as evidence; withdrawn: revoked by
  -- the directory or the bank, and never accepted again
  state text not null default 'active' check (state in ('active', 'retired', 'withdrawn')),
  -- when an active key is accepted; null sets no limit
  not_before timestamptz,
  not_after timestamptz,
  check (not_before < not_after),
  -- who brought the key
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

-- The history of clients: one trigger writes it, whichever table changes.
create function history_of(s client_setting, out object_id text, out facts json,
  out api_version text, out happened_at timestamptz)
language sql stable as $body$
  select s.client_id, json_build_object('status', s.status,
      'certificateBound', s.certificate_bound, 'certificateSubject', c.certificate_subject,
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
  -- changes nothing, and so has the change written
  update client_setting set client_id = client_id where client_id = new.client_id;
  return null;
end $body$;
create trigger client_registration_changed after update on client for each row
  when (new.certificate_subject is distinct from old.certificate_subject)
  execute function client_registration_changed();
