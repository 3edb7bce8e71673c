-- The transaction that a posting was made in. With a snapshot it says whether the posting counts in
-- a balance of that moment, so that all postings are summed in slices while the bank books. Postings
-- from before this column have none: no rewrite, and they are older than any snapshot to come.

alter table posting add column posted_in xid8;
alter table posting alter column posted_in set default pg_current_xact_id();
