-- Room: account-store. Which accounts may share a number.
--
-- A sort code and account number does not identify an account alone. Accounts of a building society
-- share one and have different roll numbers (`secondary_identification`), and a bank may give the
-- number of a closed account to a new one. So a number is unique with its secondary identification,
-- among the accounts that are not closed. The same is true of an IBAN, which contains the number.
--
-- Each index also finds the accounts of a number, which the indexes of the replaced constraints
-- did: the number is its first column, and the condition is a column, not a filter.
alter table account drop constraint account_sort_code_account_number_key;
alter table account drop constraint account_iban_key;

create unique index account_by_number on account (sort_code_account_number,
  coalesce(secondary_identification, ''), (case when status = 'Deleted' then account_id else '' end));
create unique index account_by_iban on account (iban,
  coalesce(secondary_identification, ''), (case when status = 'Deleted' then account_id else '' end));
