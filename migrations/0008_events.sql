-- Room: events. Who wants to hear of which events, and the events that wait for each TPP.

-- How a TPP is told of events. A TPP has one registration at most: an event subscription replaces a
-- callback URL.
create table event_subscription (
  client_id text primary key references client on delete cascade,
  subscription_id text not null unique,
  -- the resource that the TPP made: an event subscription, or a callback URL
  form text not null check (form in ('subscription', 'callback')),
  -- the version of the API on which the TPP made it: older versions do not show or change it
  api_version text not null,
  -- null: events are polled
  callback_url text,
  version text not null,
  -- the types as the TPP named them; null for all, and for a callback URL
  named_types text[],
  -- the names of these types
  event_types text[] not null,
  -- earlier changes are not notified; by the bank's clock
  since timestamptz not null,
  -- of the callback URL. Nothing is sent to one that is unresponsive, except one event at `probe_at`
  status text not null default 'active' check (status in ('active', 'unresponsive')),
  -- the first failure after the last event that was accepted there; null if that one is the last
  failing_since timestamptz,
  probe_at timestamptz,
  check (callback_url is not null or status = 'active' and failing_since is null),
  check ((probe_at is not null) = (status = 'unresponsive'))
);

-- The outbox: an event for one TPP. The statement that reads the history writes it, once for each
-- change; the TPP acknowledges it.
create table event (
  jti text primary key,
  client_id text not null,
  -- events are sent in this order
  sequence bigint generated always as identity,
  -- the change that made it
  object_id text not null,
  change_sequence bigint not null,
  -- `EventFacts`: all that its SET is made of
  facts json not null,
  -- by the bank's clock
  occurred_at timestamptz not null,
  -- the signed event, from when it was first sent: every further delivery has the same bytes
  token text,
  -- `undelivered`: the callback URL does not accept it; it can be polled. `refused`: the TPP answered
  -- a poll with an error. `dropped`: the TPP ended its registration before it accepted the event
  state text not null default 'waiting'
    check (state in ('waiting', 'undelivered', 'accepted', 'refused', 'dropped')),
  -- the TPP's reason to refuse it, or the last failure to send it
  error json,
  settled_at timestamptz,
  -- how often it has been sent to the callback URL, and when that failed first
  attempts integer not null default 0,
  first_failed_at timestamptz,
  -- whether a process is sending it to the callback URL: until `next_try_at`, unless it dies
  is_sending boolean not null default false,
  -- when it is sent to the callback URL, if there is one
  next_try_at timestamptz not null,
  unique (client_id, object_id, change_sequence)
);
create index event_waiting on event (client_id, sequence)
  where state in ('waiting', 'undelivered');
create index event_due on event (client_id, next_try_at) where state = 'waiting';
create index event_settled on event (settled_at) where settled_at is not null;

-- Up to which transaction the history has been read for events. One process reads at a time.
create table event_cursor (
  is_only boolean primary key default true check (is_only),
  next xid8 not null default '0'
);
insert into event_cursor default values;
