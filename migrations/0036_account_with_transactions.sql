-- Room: account-store. An account is deleted only after its transactions, which have no foreign key.

create function account_has_no_transactions() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan as $body$
begin
  if exists (select from account_transaction where account_id = old.account_id) then
    raise exception 'an account with transactions cannot be deleted' using errcode = '23514';
  end if;
  return old;
end $body$;
create trigger account_has_no_transactions before delete on account
  for each row execute function account_has_no_transactions();

create function account_is_not_truncated() returns trigger language plpgsql as $body$
begin
  raise exception 'accounts are deleted one by one' using errcode = '23514';
end $body$;
create trigger account_is_not_truncated before truncate on account
  for each statement execute function account_is_not_truncated();
