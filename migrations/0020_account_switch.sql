-- A current account that was switched to another bank is closed here, and says why.

alter table account add column is_switched boolean not null default false,
  add constraint switched_is_closed check (not is_switched or status = 'Deleted');
