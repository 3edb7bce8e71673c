-- What Aldgate keeps for itself: clients, tokens, consents, orders, payments.

create table client (
  client_id text primary key,
  organisation_id text not null,
  software_id text not null,
  name text not null,
  roles text[] not null,
  certificate_bound boolean not null,
  jwks json not null,
  jwks_version integer not null default 1,
  metadata json not null,
  status text not null default 'active' check (status in ('active', 'suspended')),
  created_at timestamptz not null
);

create table consent (
  consent_id text primary key,
  kind text not null,
  client_id text not null references client,
  status text not null check (status in ('AWUP', 'AWAU', 'AUTH', 'RJCT', 'COND', 'CANC', 'EXPD')),
  status_reason json not null default '[]',
  created_at timestamptz not null,
  status_updated_at timestamptz not null,
  -- the end of an account access consent; null is open-ended, and so for payments
  expires_at timestamptz,
  deleted_at timestamptz,
  -- the request's Data and Risk, as received
  body json not null,
  -- what the bank added when it took the consent in: charges, cut-off, expected dates
  terms json not null default '{}',
  -- account access only
  permissions text[] not null default '{}',
  transactions_from timestamptz,
  transactions_to timestamptz,
  -- set when the customer authorises
  customer_id text,
  account_ids text[] not null default '{}',
  grant_id text unique,
  authorised_at timestamptz,
  authenticated_at timestamptz
);
create index consent_client on consent (client_id, created_at);
create index consent_customer on consent (customer_id, created_at) where customer_id is not null;
create index consent_waiting on consent (created_at) where status in ('AWAU', 'AWUP');

create table access_token (
  -- SHA-256 of the bearer value, base64url
  token_hash text primary key,
  kind text not null check (kind in ('authorization_code', 'client_credentials')),
  client_id text not null,
  scope text not null,
  grant_id text,
  -- RFC 8705 x5t#S256; null for a token of a client whose tokens are not bound
  certificate_thumbprint text,
  expires_at timestamptz not null,
  payload json not null
);
create index access_token_grant on access_token (grant_id) where grant_id is not null;
create index access_token_client on access_token (client_id);
create index access_token_expiry on access_token (expires_at);

-- Everything else that the authorization server keeps: sessions, interactions, codes, grants.
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

-- One customer's way through one authorization request.
create table journey (
  uid text primary key,
  consent_id text not null references consent,
  client_id text not null,
  step text not null check (step in ('login', 'factor', 'accounts', 'review', 'ended')),
  outcome text,
  customer_id text,
  account_ids text[] not null default '{}',
  -- what the second factor was bound to: a hash over amount and payee, or over the permissions
  linked_hash text,
  failures integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index journey_consent on journey (consent_id);
create index journey_open on journey (expires_at) where step <> 'ended';
create index journey_ended on journey (expires_at) where step = 'ended';

create table login_throttle (
  login text primary key,
  failures integer not null,
  locked_until timestamptz
);

create table idempotency_key (
  client_id text not null,
  -- method and path, with the consent's id where the path has one
  operation text not null,
  key text not null,
  -- SHA-256 of the canonical JSON of the body, or of a file's bytes
  fingerprint text not null,
  resource_id text not null,
  created_at timestamptz not null,
  primary key (client_id, operation, key)
);
create index idempotency_key_age on idempotency_key (created_at);

create table payment_order (
  order_id text primary key,
  -- a consent is consumed by one order, ever
  consent_id text not null unique references consent,
  kind text not null,
  client_id text not null,
  customer_id text not null,
  debtor_account_id text not null,
  status text not null,
  status_reason json not null default '[]',
  created_at timestamptz not null,
  status_updated_at timestamptz not null,
  terms json not null default '{}',
  -- several signatories; null when one is enough
  signatories_required integer,
  signatories_received integer,
  authorisation_status text check (authorisation_status in ('AWAF', 'AUTH', 'RJCT')),
  authorisation_updated_at timestamptz,
  authorisation_expires_at timestamptz,
  signed_by text[] not null default '{}'
);
create index payment_order_client on payment_order (client_id, created_at);
create index payment_order_signing on payment_order (authorisation_expires_at)
  where authorisation_status = 'AWAF';
create index payment_order_debtor on payment_order (debtor_account_id, created_at);

-- The unit of execution: one for a single payment, one an occurrence or instruction otherwise.
create table payment (
  payment_id text primary key,
  order_id text not null references payment_order,
  sequence integer not null,
  status text not null,
  status_reason_code text,
  status_reason_text text,
  created_at timestamptz not null,
  status_updated_at timestamptz not null,
  debtor_account_id text not null,
  amount_minor bigint not null check (amount_minor > 0),
  -- what the debtor pays the bank on top, in the same currency
  charge_minor bigint not null default 0 check (charge_minor >= 0),
  currency text not null,
  -- {schemeName, identification, name, secondaryIdentification?}
  creditor json not null,
  end_to_end_id text,
  reference text,
  local_instrument text,
  -- when it is to be executed; null is at once
  execute_at timestamptz,
  -- when the engine looks at it next; null when there is nothing left to do
  due_at timestamptz,
  lease_owner text,
  lease_until timestamptz,
  attempt integer not null default 0,
  unique (order_id, sequence)
);
create index payment_due on payment (due_at) where due_at is not null;
