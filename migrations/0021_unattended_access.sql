-- How often a consent's resource was read without the customer, on a day in UTC: one count for all
-- processes. Days that are over are deleted by the next count.

create table unattended_access (
  day date not null,
  consent_id text not null,
  operation_id text not null,
  -- empty where the path names no account
  account_id text not null,
  accesses integer not null,
  primary key (day, consent_id, operation_id, account_id)
);
