-- Room: account-store. A statement up to the middle of a month is no longer true when something is
-- booked in its time afterwards.

-- Removes the statements of accounts that end in the middle of a month, if they cover this time.
create function withdraw_interim_statements(accounts text[], covered timestamptz) returns void
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  delete from account_statement
  where account_id = any(accounts) and ends_at > covered
    and ends_at <> date_trunc('month', ends_at, 'UTC');
end $body$;
