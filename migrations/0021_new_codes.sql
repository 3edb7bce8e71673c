-- Room: auth. Every code page can send new codes. The challenge counts them, for the journey and for
-- the bank's own pages.

-- how many codes the customer asked for before this one
alter table login_challenge add column new_codes integer not null default 0;
alter table journey drop column new_codes;
