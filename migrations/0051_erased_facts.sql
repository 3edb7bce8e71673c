-- Room: account-store. What the store remembers of facts names their account and customer, so that
-- it is erased with them, and a removal locks its account. A source says when it was last heard.

-- Null if the fact has no account, or if an earlier release has written the row.
alter table removed_fact add column account_id text;
-- Older processes survive this: they do not read the new column.
update removed_fact set account_id = split_part(key, ' ', 1)
where entity in ('account', 'holder', 'balances');

alter table fact_refusal add column account_id text, add column customer_id text;
-- Older processes survive this: they do not read the new column.
update fact_refusal set account_id = split_part(key, ' ', 1)
where kind in ('accounts', 'holders', 'balances', 'statements', 'removed accounts',
  'removed holders', 'removed balances', 'removed statements', 'delivered');
-- Older processes survive this: they do not read the new column.
update fact_refusal set customer_id = case
    when kind in ('parties', 'removed parties') then key
    else split_part(key, ' ', 2)
  end
where kind in ('parties', 'removed parties', 'holders', 'removed holders');
-- Older processes survive this: the table has only refused facts, which are few.
create index fact_refusal_account on fact_refusal (account_id) where account_id is not null;
-- Older processes survive this: the table has only refused facts, which are few.
create index fact_refusal_customer on fact_refusal (customer_id) where customer_id is not null;

-- by the bank's clock
alter table feed_source add column heard_at timestamptz;
