-- Room: notices. How much of the history of consents and orders the bank's core has been told.

-- The row exists from the first time that a bank is open with a core that has the call `tell`. One
-- process tells at a time.
create table notice_cursor (
  is_only boolean primary key default true check (is_only),
  last bigint not null default 0,
  -- the last number of the history at the last reading, and the transactions that were writing
  -- then: see event_cursor
  noted bigint,
  writers text[] not null default '{}',
  -- the failed calls since the last one that succeeded
  failures integer not null default 0,
  -- the process that tells now; null if none does
  holder text,
  -- Until then, no other process tells. After a failed call, no process does. By the database's
  -- clock, because the clock of a sandbox can be set.
  held_until timestamptz,
  check (holder is null or held_until is not null)
);
