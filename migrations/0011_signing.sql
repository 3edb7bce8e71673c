-- Room: signing. The keys with which the bank signs. Private halves are never in the database.

-- Dates are by the machine's clock. Every process reads this table every few seconds, and the dates
-- alone decide which key signs. A key that no longer signs is kept as a record.
create table signing_key (
  -- the thumbprint of the public half
  kid text primary key,
  -- the public half
  jwk json not null,
  -- where the private half is: the path of a file, or `service:` and the key's name at the signing
  -- service
  location text not null,
  -- the file of the key's certificate and its issuers; null in a sandbox, whose directory issues one
  certificate_file text,
  published_from timestamptz not null,
  -- null until a date is set
  active_from timestamptz,
  -- set when another key is to replace this one
  published_until timestamptz,
  withdrawn_at timestamptz,
  check (active_from >= published_from)
);
-- two keys never begin to sign at the same moment
create unique index signing_key_start on signing_key (active_from) where withdrawn_at is null;
