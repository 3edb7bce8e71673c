-- Room: auth. Tokens and the other artifacts of the authorization server, consent journeys, logins
-- and the sessions of the bank's own pages.

create domain token_kind as text check (value in ('authorization_code', 'client_credentials'));
create domain challenge_method as text check (value in ('code', 'redirect', 'decoupled'));

create table access_token (
  -- SHA-256 of the bearer value, base64url
  token_hash text primary key,
  kind token_kind not null,
  client_id text not null,
  scope text not null,
  grant_id text,
  -- x5t#S256 (RFC 8705); null if the client's tokens are not bound to a certificate
  certificate_thumbprint text,
  expires_at timestamptz not null,
  payload json not null
);
create index access_token_grant on access_token (grant_id) where grant_id is not null;
create index access_token_client on access_token (client_id);
create index access_token_expiry on access_token (expires_at);

-- Everything else that the authorization server stores: authorization codes, refresh tokens, pushed
-- requests and the ids of used assertions.
create table oidc_artifact (
  model text not null,
  id_hash text not null,
  payload json not null,
  grant_id text,
  uid text,
  client_id text,
  consumed_at timestamptz,
  expires_at timestamptz,
  primary key (model, id_hash)
);
create index oidc_artifact_grant on oidc_artifact (grant_id) where grant_id is not null;
create index oidc_artifact_uid on oidc_artifact (uid) where uid is not null;
create index oidc_artifact_expiry on oidc_artifact (expires_at) where expires_at is not null;

-- One customer's journey through one authorization request. The journey asks the bank's core once
-- and stores the answers until it ends.
create table journey (
  uid text primary key,
  consent_id text not null references consent,
  client_id text not null,
  -- The TPP's names when the journey began. All pages of the journey show the same name, and no
  -- request has to look it up.
  software_name text not null,
  on_behalf_of text,
  -- a step of src/auth/journey/steps/journey-steps.ts, or `ended`
  step text not null,
  outcome text,
  -- The request as the authorization server stores it, and the result once the journey has ended.
  -- Null once the TPP has the result.
  interaction json,
  customer_id text,
  customer_login text,
  customer_name text,
  -- the customer's accounts, their balances, and whether each can be chosen
  accounts json,
  account_ids text[] not null default '{}',
  challenge_id text,
  failures integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index journey_consent on journey (consent_id);
-- No index uses a column that changes from step to step. So if the page has room, PostgreSQL writes
-- a new version of the row and no index entries.
create index journey_open on journey (created_at) where outcome is null;
create index journey_ended on journey (created_at) where outcome is not null;

-- Failed attempts per subject. Attempts in flight count as failed.
create table login_attempt (
  -- a login with a device, a login with an address, a login from anywhere, or a customer's second
  -- factor
  subject text primary key,
  failures integer not null default 0,
  pending integer not null default 0,
  -- when attempts in flight stop counting, because their process may have ended
  pending_until timestamptz not null,
  locked_until timestamptz not null
);
create index login_attempt_pending on login_attempt (pending_until);

-- A challenge: what a customer was asked to confirm with a second factor. It is verified once and
-- spent once.
create table login_challenge (
  challenge_id text primary key,
  customer_id text not null,
  method challenge_method not null,
  -- what the customer confirms, and its hash: the action must have the same hash
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

-- Sessions of the bank's own pages. The browser has a token, the bank only its hash.
create table own_session (
  session_hash text primary key,
  state text not null check (state in ('factor', 'in')),
  customer_id text not null,
  customer_login text not null,
  customer_name text not null,
  -- the challenge of the second factor; null once the customer is logged in
  challenge_id text,
  started_at timestamptz not null,
  seen_at timestamptz not null
);
create index own_session_seen on own_session (seen_at);
