-- Room: consents. All that the customer was shown on the way to an approval, with each answer. Until
-- now only what the second factor confirmed was kept, in the columns shown, shown_hash and
-- challenge_id.

-- null for authorisations of earlier releases, which have those columns
alter table consent_authorisation add column showings json;
-- Older processes survive this: they only pass the value on to the bank's own channels
alter table consent_authorisation alter column shown_hash drop not null;
-- Older processes survive this: they only pass the value on to the bank's own channels
alter table consent_authorisation alter column challenge_id drop not null;
