-- Room: auth. The time that a customer has for a page, and new codes.

-- the step whose time the customer has extended; null if none
alter table journey add column extended_step text;
-- how many codes the customer has asked for, besides the first
alter table journey add column new_codes integer not null default 0;
-- where the code was sent, as the core says; null if it does not say
alter table login_challenge add column sent_to text;
