-- Room: account-store. A bank can remove an account with all its facts, and facts have periods of
-- retention. Until now an account could only be closed.

drop trigger account_is_permanent on account;
drop function account_is_permanent();

-- find what has been kept for its period
create index account_history_from on account (history_from) where history_from is not null;
create index account_closed on account (status_updated_at) where status = 'Deleted';
create index account_statement_ended on account_statement (ends_at);
