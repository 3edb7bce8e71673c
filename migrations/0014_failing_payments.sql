-- Room: payments.
--
-- The payments on which the core fails, for operators. The index contains only these payments, so
-- it costs the others nothing: an update that leaves `failures` at 0 does not touch it.
create index payment_failing on payment (payment_id) where failures > 0;

-- The last failed call of each such payment. It has no foreign key, which would be checked at every
-- update of a payment; the sweep deletes the rows of payments that no longer fail.
create table payment_failure (
  payment_id text primary key,
  failed_at timestamptz not null,
  -- 'ask', 'reserve' or 'execute'
  step text not null,
  error text not null
);
