-- Room: events. Who wants to hear of which events, and the events that wait for each TPP.

-- How a TPP is told of events. A TPP has one registration at most: an event subscription replaces a
-- callback URL.
create table event_subscription (
  client_id text primary key references client on delete cascade,
  subscription_id text not null unique,
  -- the resource that the TPP made: an event subscription, or a callback URL
  form text not null check (form in ('subscription', 'callback')),
  -- null: events are polled
  callback_url text,
  version text not null,
  -- the types as the TPP named them; null for all, and for a callback URL
  named_types text[],
  -- the names of these types
  event_types text[] not null,
  -- earlier changes are not notified; by the bank's clock
  since timestamptz not null
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
  -- `dropped`: the TPP ended its registration before it accepted the event
  state text not null default 'waiting'
    check (state in ('waiting', 'accepted', 'refused', 'dropped')),
  -- the TPP's reason to refuse it
  error json,
  settled_at timestamptz,
  unique (client_id, object_id, change_sequence)
);
create index event_waiting on event (client_id, sequence) where state = 'waiting';
create index event_settled on event (settled_at) where settled_at is not null;

-- Up to which transaction the history has been read for events. One process reads at a time.
create table event_cursor (
  is_only boolean primary key default true check (is_only),
  next xid8 not null default '0'
);
insert into event_cursor default values;
