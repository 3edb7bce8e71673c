-- Room: registration. The ids of used registration requests, and the attempts to register.

-- Ids that may be used once: of registration requests and, with REGISTRATION_STATEMENT_ONCE, of
-- software statements.
create table registration_jti (
  use text not null check (use in ('request', 'statement')),
  issuer text not null,
  jti text not null,
  -- when the id may be forgotten, because what it identifies has expired; null for never
  expires_at timestamptz,
  primary key (use, issuer, jti)
);
create index registration_jti_expiry on registration_jti (expires_at)
  where expires_at is not null;

-- Every request to the registration endpoint that was not refused for its rate, and every change of
-- a client that follows from the directory's status (method 'status'). A row is kept for 400 days.
create table registration_attempt (
  attempt_id bigint generated always as identity primary key,
  at timestamptz not null,
  interaction_id text not null,
  method text not null,
  -- the subject of the client certificate; null without a valid one
  certificate_subject text,
  -- as the request claims, verified or not
  software_id text,
  client_id text,
  status integer not null,
  -- the rule that the request breaks, and the description that the TPP got
  rule text,
  description text
);
create index registration_attempt_client on registration_attempt (client_id, at);
create index registration_attempt_software on registration_attempt (software_id, at);
create index registration_attempt_age on registration_attempt (at);
