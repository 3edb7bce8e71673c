-- Room: consents. What the customer was shown at an authorisation, how the customer answered, and
-- when. Until now only the hash of what was shown was kept.

-- null for authorisations of earlier releases
alter table consent_authorisation
  add column method text,
  add column answered_at timestamptz,
  add column shown json;
