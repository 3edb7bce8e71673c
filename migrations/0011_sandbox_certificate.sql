-- The newest certificates of the TPPs that the sandbox's directory made. Their private keys are
-- not here: a certificate is renewed over the public key that it names.

create table sandbox_certificate (
  client_id text not null references client,
  use text not null check (use in ('client', 'signing')),
  certificate_pem text not null,
  ends_at timestamptz not null,
  -- SHA-256 of the root that issued it: a directory renews its own
  authority text not null,
  primary key (client_id, use)
);
create index sandbox_certificate_end on sandbox_certificate (authority, ends_at);
