-- Attempts are counted by what is tried against and from where; those in flight count as well.
drop table login_throttle;
create table login_attempt (
  -- a login with a device, a login with an address, a login from anywhere, or a customer's factor
  subject text primary key,
  failures integer not null default 0,
  pending integer not null default 0,
  -- attempts in flight are forgotten then: their process may have ended
  pending_until timestamptz not null,
  locked_until timestamptz not null
);
create index login_attempt_pending on login_attempt (pending_until);

-- What a customer was asked to confirm with a factor: verified once, and spent once.
create table login_challenge (
  challenge_id text primary key,
  customer_id text not null,
  method text not null check (method in ('code', 'redirect', 'decoupled')),
  -- what is confirmed, and the hash of it that the act is compared with
  subject json not null,
  subject_hash text not null,
  tries integer not null default 0,
  verified_at timestamptz,
  spent_at timestamptz,
  expires_at timestamptz not null
);
create index login_challenge_expiry on login_challenge (expires_at);
create index login_challenge_open on login_challenge (customer_id, expires_at)
  where verified_at is null;

-- A journey asks the bank once, and keeps the answers until it ends.
alter table journey
  drop column linked_hash,
  add column customer_login text,
  add column customer_name text,
  add column challenge_id text,
  -- the customer's accounts, with what can be chosen and what is on them
  add column accounts json;

-- The sandbox bank's own side of a challenge.
create table sandbox_challenge (
  challenge_id text primary key,
  customer_id text not null references customer,
  subject json not null,
  subject_hash text not null,
  tries integer not null default 0,
  used_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sandbox_challenge_expiry on sandbox_challenge (expires_at);
alter table customer drop column totp_last_step;
