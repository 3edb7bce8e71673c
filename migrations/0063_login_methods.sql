-- Room: auth. How a customer has logged in at the bank's own provider, before a second factor here:
-- the methods that the provider names. Null after a password that was entered here.

alter table journey add column login_amr text[];
alter table own_session add column login_amr text[];
