-- Room: account-store. How far each source of facts has got, and the facts that were refused.

create table feed_source (
  source text primary key,
  -- where the source continues; its own words
  cursor text,
  -- every change of what it delivers is stored up to then
  delivered_until timestamptz
);

create table fact_refusal (
  source text not null,
  kind text not null,
  key text not null,
  path text not null,
  rule text not null,
  refused_at timestamptz not null default clock_timestamp(),
  primary key (source, kind, key)
);

-- the source that delivers this cluster of the account; empty for a bank that sends each change in
-- the transaction that makes it
alter table account_freshness add column source text not null default '';
drop index account_freshness_oldest;
create index account_freshness_oldest on account_freshness (cluster, source, as_of);
