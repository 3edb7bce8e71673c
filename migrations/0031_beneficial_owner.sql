-- Room: account-store. Whether a holder owns the account in the end, as the bank says.

-- null: the bank does not say
alter table account_holder add column is_beneficial_owner boolean;
