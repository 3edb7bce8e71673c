-- Room: auth. Client-initiated backchannel authentication: a TPP begins a journey without a browser,
-- and the customer decides in the bank's app.

alter table journey
  -- when the TPP's request ends, whatever step the customer is at; null if a browser or a link began
  -- the journey
  add column ends_by timestamptz;

-- a consent has at most one such request at a time
create unique index journey_backchannel on journey (consent_id)
  where ends_by is not null and outcome is null;
-- not by customer: a step that changed an indexed column would change every index of the journey
create index journey_backchannel_client on journey (client_id, created_at)
  where ends_by is not null;

create table backchannel_request (
  uid text primary key references journey (uid) on delete cascade,
  -- of the auth_req_id, which is a bearer value
  id_hash text not null unique,
  -- of the client and the jti of the signed request, which works once
  request_hash text not null unique,
  client_id text not null,
  -- the request as the authorization server stores it
  payload json not null,
  expires_at timestamptz not null,
  interval_seconds integer not null,
  -- when the TPP last asked for the tokens
  polled_at timestamptz,
  -- when the TPP has got the tokens
  used_at timestamptz,
  -- the auth_req_id and the TPP's token, encrypted, until the TPP has been told of the answer
  ping text,
  -- when the TPP can be told again after a failure, and how often that was tried
  ping_at timestamptz,
  pings integer not null default 0
);

create index backchannel_request_ping on backchannel_request (ping_at) where ping is not null;
