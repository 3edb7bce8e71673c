-- Room: payments. An index finds every order of a consent, not only those that have used it up: the
-- database looks for them whenever a consent is deleted. It refuses a second order of a single-use
-- consent, as the index did that it replaces.
-- Outside a transaction.

-- Older processes survive this: it refuses the rows that payment_order_once refuses.
create unique index concurrently if not exists payment_order_consent on payment_order
  (consent_id, (case when consent_use = 'once' then '' else order_id end));

-- Older processes survive this: no release has an "on conflict" on it, and the new one serves reads.
drop index concurrently if exists payment_order_once;
