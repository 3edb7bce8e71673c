-- The bank that an account abroad is at: an account number alone finds no bank there.

alter table beneficiary
  -- null: the account's number says which bank it is at
  add column creditor_bic text check (creditor_bic ~ '^[A-Z0-9]{8}([A-Z0-9]{3})?$');

drop index beneficiary_account;
create unique index beneficiary_account on beneficiary (customer_id, scheme_name, identification,
  coalesce(secondary_identification, ''), coalesce(creditor_bic, ''));

create or replace view standing_order as
select o.order_id as standing_order_id, o.debtor_account_id as account_id, o.kind,
  -- 'IntrvlMnthDay:01:15': the v3.1 pattern
  o.terms->'schedule'->>'frequency' as frequency,
  f.reference,
  -- {schemeName, identification, name, secondaryIdentification?}
  f.creditor, f.currency,
  (o.terms->'schedule'->>'numberOfPayments')::integer as number_of_payments,
  n.payment_id is not null as is_active,
  (o.terms->'schedule'->>'firstDate')::date as first_payment_on,
  (o.terms->'schedule'->>'firstMinor')::bigint as first_payment_minor,
  n.scheduled_on as next_payment_on, n.execute_at as next_payment_at,
  n.amount_minor as next_payment_minor,
  l.scheduled_on as last_payment_on, l.execute_at as last_payment_at,
  l.amount_minor as last_payment_minor,
  -- null when no date ends it
  (o.terms->'schedule'->>'finalDate')::date as final_payment_on,
  (o.terms->'schedule'->>'finalMinor')::bigint as final_payment_minor,
  o.status, o.created_at,
  -- as the TPP gave it: {SchemeName, Identification, …}
  c.body->'Data'->'Initiation'->'CreditorAgent' as creditor_agent
from payment_order o
join consent c on c.consent_id = o.consent_id
join payment f on f.order_id = o.order_id and f.sequence = 1
left join lateral (
  select p.payment_id, p.scheduled_on, p.execute_at, p.amount_minor
  from payment p
  where p.order_id = o.order_id and p.status in ('RCVD', 'PDNG', 'ACTC', 'ACCP')
  order by p.sequence limit 1
) n on true
left join lateral (
  select p.scheduled_on, p.execute_at, p.amount_minor
  from payment p
  where p.order_id = o.order_id and p.status in ('ACSC', 'ACCC', 'ACWP', 'BLCK')
  order by p.sequence desc limit 1
) l on true
where o.terms->'schedule' is not null and o.status not in ('PATC', 'RJCT');
