-- Room: payments. How each signatory of an order was authenticated, in the bank's own channel.

-- [{customerId, at, acr, amr}]: those who signed after the customer who approved the consent; null
-- if nobody did
alter table payment_order add column signatures json;
