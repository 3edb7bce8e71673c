-- Sessions of the bank's own pages: a browser has a token, the bank its hash.
create table own_session (
  session_hash text primary key,
  state text not null check (state in ('factor', 'in')),
  customer_id text not null,
  customer_login text not null,
  customer_name text not null,
  -- what the second factor was asked with
  challenge_id text,
  started_at timestamptz not null,
  seen_at timestamptz not null
);
create index own_session_seen on own_session (seen_at);
