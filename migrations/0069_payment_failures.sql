-- What a payment knows of calls to the core that failed, so that one payment on which the core
-- always fails does not hold up those that were called for together with it.

alter table payment
  -- calls in a row that failed for this payment alone: how long it waits for the next one
  add column failures integer not null default 0,
  -- the most payments that its next call may be for; null sets no limit
  add column call_limit integer check (call_limit > 0);
