-- Room: account-store. Old removals are found without reading those of accounts, which are
-- remembered for good.
-- Outside a transaction.

create index concurrently if not exists removed_fact_to_forget on removed_fact (removed_at)
  where entity <> 'account';
-- Older processes survive this: the index is not unique, and their sweep can use the new one.
drop index concurrently if exists removed_fact_age;
