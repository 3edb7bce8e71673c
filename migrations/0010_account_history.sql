-- When an account's history starts: a page of its transactions says so, and must not look for it.
-- Entries are never taken away and never move to another day, so that only new ones can change it.
alter table account add column history_from timestamptz;

update account a set history_from =
  (select min(t.booked_at) from account_transaction t where t.account_id = a.account_id);

create function account_history_grows() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  accounts text[];
  firsts timestamptz[];
  known integer;
begin
  select array_agg(account_id), array_agg(first_booked_at) into accounts, firsts from (
    select account_id, min(booked_at) as first_booked_at from new_entry group by account_id
  ) grown;
  if accounts is null then return null; end if;
  select count(*) into known from account where account_id = any(accounts);
  if known <> cardinality(accounts) then
    raise exception 'an entry is of an account that there is' using errcode = '23503';
  end if;
  update account a set history_from = m.first_booked_at
  from unnest(accounts, firsts) as m(account_id, first_booked_at)
  where a.account_id = m.account_id
    and (a.history_from is null or a.history_from > m.first_booked_at);
  return null;
end $body$;
create trigger account_history_grows after insert on account_transaction
  referencing new table as new_entry
  for each statement execute function account_history_grows();
