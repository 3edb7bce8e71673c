-- When an account's history starts: a page of its transactions says so, and must not look for it.
-- Entries are never taken away and never move to another day, so that only new ones can change it.
alter table account add column history_from timestamptz;

update account a set history_from =
  (select min(t.booked_at) from account_transaction t where t.account_id = a.account_id);

create function account_history_grows() returns trigger language plpgsql as $body$
begin
  update account a set history_from = m.first_booked_at
  from (
    select account_id, min(booked_at) as first_booked_at from new_entry group by account_id
  ) m
  where a.account_id = m.account_id
    and (a.history_from is null or a.history_from > m.first_booked_at);
  return null;
end $body$;
create trigger account_history_grows after insert on account_transaction
  referencing new table as new_entry
  for each statement execute function account_history_grows();
