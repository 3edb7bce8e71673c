-- Room: auth. The clients (TPPs) that are registered with the bank.

create table client (
  client_id text primary key,
  organisation_id text not null,
  software_id text not null,
  name text not null,
  roles text[] not null,
  certificate_bound boolean not null,
  -- attributes of a distinguished name (RFC 4514), each of which the certificate's subject must have
  -- with this value: OU is the organisation, CN the software. Null for a client without certificates
  certificate_subject text,
  jwks json not null,
  jwks_version integer not null default 1,
  metadata json not null,
  status text not null default 'active' check (status in ('active', 'suspended')),
  created_at timestamptz not null
);
