-- What finds the few postings of a purpose, so that the ledger is verified slice by slice. Payments
-- are posted for other purposes and have no entry here.

create index posting_opening_debit on posting (debit_account_id) where purpose = 'opening';
create index posting_opening_credit on posting (credit_account_id) where purpose = 'opening';
create index posting_direct_debit on posting (posting_id) where purpose = 'direct-debit';
