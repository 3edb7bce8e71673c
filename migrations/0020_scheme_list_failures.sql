-- Room: payments. How often the scheme's list could not be read, so that the bank waits longer after
-- each failure.

alter table scheme_list add column failures integer not null default 0;
