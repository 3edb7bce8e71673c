-- The account that a payment consent was authorised for, as the customer saw it: orders and reads of
-- the consent are answered from it, without a call to the bank's core.

alter table consent add column debtor json;

update consent c set debtor = json_build_object('accountId', a.account_id,
    'accountType', a.account_type, 'accountSubType', a.account_sub_type, 'currency', a.currency,
    'nickname', a.nickname, 'holderName', a.holder_name,
    'sortCodeAccountNumber', a.sort_code_account_number, 'iban', a.iban, 'maskedPan', a.masked_pan,
    'signatoriesRequired', a.signatories_required, 'status', a.status)
  from account a
  where c.kind <> 'account-access' and c.customer_id is not null and a.account_id = c.account_ids[1];
