-- Orders that pay again.

alter table payment
  -- its date by the calendar of the order's schedule, from which the next one counts; execute_at is
  -- the working day that this comes to. Null for payments without a schedule.
  add column scheduled_on date,
  -- whether no payment of the schedule follows; null for payments without one
  add column is_last boolean;
-- a schedule never pays twice for one date
create unique index payment_occurrence on payment (order_id, scheduled_on)
  where scheduled_on is not null;

-- The standing orders as account information shows them: what was ordered, the payment that comes
-- next and the last that left the account. One that waits for signatures is none yet; one that has
-- ended or was cancelled has no next payment. Ask for one account: `where account_id = …`.
create view standing_order as
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
