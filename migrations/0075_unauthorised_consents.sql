-- Consents that no customer has authorised, by age: they are deleted after a time. Using a consent up
-- changes no column that this index names.

create index consent_unauthorised on consent (created_at) where authorised_at is null;
