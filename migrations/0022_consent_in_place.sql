-- Using a consent up is what every payment changes about it. No index may name what changes then, and
-- its page must have room: the server then writes the row alone, and none of its index entries anew.

alter table consent
  -- when it began to wait for its customer or its file; null when it does not wait
  add column waits_since timestamptz generated always as (
    case when status in ('AWAU', 'AWUP') then created_at end) stored;
drop index consent_waiting;
create index consent_waiting on consent (waits_since) where waits_since is not null;
alter table consent set (fillfactor = 60);
