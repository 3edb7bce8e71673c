-- Room: auth. What the bank said about the payee's name, as the journey shows it; null if it was not
-- asked.

alter table journey add column payee_check json;
