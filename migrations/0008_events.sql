-- Room: events. The TPPs' registrations for events, and the events for each TPP.

-- A TPP's registration for events. A TPP has at most one: an event subscription replaces a callback
-- URL.
create table event_subscription (
  client_id text primary key references client on delete cascade,
  subscription_id text not null unique,
  -- the kind of resource that the TPP created: an event subscription or a callback URL
  form text not null check (form in ('subscription', 'callback')),
  -- the version of the API on which the TPP created it: older versions do not show or change it
  api_version text not null,
  -- null if the TPP polls for events
  callback_url text,
  version text not null,
  -- the types as the TPP named them; null if it named none, and for a callback URL
  named_types text[],
  -- the stored names of the types that the TPP receives
  event_types text[] not null,
  -- the TPP is not notified of changes before this time; by the bank's clock
  since timestamptz not null,
  -- the status of the callback URL. An unresponsive one receives only one event, at `probe_at`
  status text not null default 'active' check (status in ('active', 'unresponsive')),
  -- the first failure since the callback URL last accepted an event; null if there is none
  failing_since timestamptz,
  probe_at timestamptz,
  check (callback_url is not null or status = 'active' and failing_since is null),
  check ((probe_at is not null) = (status = 'unresponsive'))
);

-- The outbox: each row is an event for one TPP. The transaction that reads the history writes one
-- event per change. The TPP acknowledges it.
create table event (
  jti text primary key,
  client_id text not null,
  -- events are sent in this order
  sequence bigint generated always as identity,
  -- the change that caused the event
  object_id text not null,
  change_sequence bigint not null,
  -- `EventFacts`, from which its SET is built
  facts json not null,
  -- by the bank's clock
  occurred_at timestamptz not null,
  -- the signed event; null until it is first sent. Every later delivery has the same bytes
  token text,
  -- `undelivered`: the callback URL does not accept it, but it can be polled. `refused`: the TPP
  -- reported an error for it in a poll. `dropped`: the TPP ended its registration before it
  -- accepted the event
  state text not null default 'waiting'
    check (state in ('waiting', 'undelivered', 'accepted', 'refused', 'dropped')),
  -- the TPP's reason for refusing it, or the last failure to send it
  error json,
  settled_at timestamptz,
  -- how often it has been sent to the callback URL, and when it first failed
  attempts integer not null default 0,
  first_failed_at timestamptz,
  -- the process that sends it to the callback URL. If `next_try_at` has passed, this process died
  sent_by text,
  -- when it is next sent to the callback URL, if there is one
  next_try_at timestamptz not null,
  unique (client_id, object_id, change_sequence)
);
create index event_waiting on event (client_id, sequence)
  where state in ('waiting', 'undelivered');
create index event_due on event (client_id, next_try_at) where state = 'waiting';
create index event_settled on event (settled_at) where settled_at is not null;

-- The last change of the history that has been read for events. One process reads at a time.
create table event_cursor (
  is_only boolean primary key default true check (is_only),
  last bigint not null default 0,
  -- the last number of the history at the last reading, and the transactions that were writing
  -- then: the history is complete up to this number once they have ended. Null if it was complete
  noted bigint,
  writers text[] not null default '{}'
);
insert into event_cursor default values;
