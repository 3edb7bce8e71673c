-- Room: payments. Orders, the payments that execute them, uploaded files and idempotency keys.

create domain order_family as text
  check (value in ('immediate', 'scheduled', 'standingOrder', 'file'));
create domain order_authorisation as text check (value in ('AWAF', 'AUTH', 'RJCT'));
create domain positive_minor as bigint check (value > 0);
create domain charged_minor as bigint check (value >= 0);
create domain payments_per_call as integer check (value > 0);

create table idempotency_key (
  client_id text not null,
  -- method and path; the path includes the consent's id if the operation has one
  operation text not null,
  key text not null,
  -- SHA-256 of the canonical JSON of the body, or of a file's bytes
  fingerprint text not null,
  resource_id text not null,
  created_at timestamptz not null,
  primary key (client_id, operation, key)
);
create index idempotency_key_age on idempotency_key (created_at);

create table payment_order (
  order_id text primary key,
  consent_id text not null references consent,
  -- whether one order consumes the consent, or many orders share its limits
  consent_use text not null default 'once',
  kind text not null,
  -- the name of the status table that the order follows, which its kind determines
  family order_family not null,
  -- the API version on which it was submitted, such as `pisp-v4.0`
  api_version text not null,
  client_id text not null,
  customer_id text not null,
  debtor_account_id text not null,
  status text not null,
  -- why it has this status: [{code, text, path?}]
  status_reason json not null default '[]',
  created_at timestamptz not null,
  status_updated_at timestamptz not null,
  -- the amount of a single payment without charges; null for standing orders and files
  amount_minor positive_minor,
  currency text check ((amount_minor is null) = (currency is null)),
  terms json not null default '{}',
  -- if several people must sign: their number and progress; null if one signature is enough
  signatories_required integer,
  signatories_received integer,
  authorisation_status order_authorisation,
  authorisation_updated_at timestamptz,
  authorisation_expires_at timestamptz,
  signed_by text[] not null default '{}',
  -- the last change; see the same columns of consent
  revision integer not null default 1,
  changed_by text default 'bank',
  interaction_id text,
  changed_at timestamptz,
  -- When a file that has not ended was ordered; null for all other orders. An invariant of
  -- `./aldgate verify` compares it with the status: the server would compile the expression of a
  -- generated column, like that of a check, anew for each statement.
  file_in_work_since timestamptz,
  check (consent_use = 'once' or consent_use = 'within limits' and amount_minor is not null)
)
-- The engine changes an order's status twice. As with consents, no index may name what changes then,
-- and the page must have room: the server then writes the row alone, and no index entries.
with (fillfactor = 50);

-- The facts of an order in its history. The words are the bank's own and need no escapes. Putting
-- the text together costs a fifth of json_build_object, which looks up the type of each argument.
create function order_history(status text, reasons text, authorisation text, signatures integer)
returns text language sql stable as $$
  select '{"status":"' || status || '","reasons":' || reasons || ',"authorisation":'
    || coalesce('"' || authorisation || '"', 'null') || ',"signatures":'
    || coalesce(signatures::text, 'null') || '}'
$$;
create function history_of(o payment_order, out object_id text, out facts json,
  out api_version text, out happened_at timestamptz)
language sql stable as $$
  select o.order_id, order_history(o.status, o.status_reason::text, o.authorisation_status,
    o.signatories_received)::json, o.api_version, o.status_updated_at
$$;
create trigger order_created after insert on payment_order for each row
  when (new.changed_by is not null) execute function record_change('order');
create trigger order_changed after update on payment_order for each row
  when (new.changed_by is not null or new.revision = old.revision)
  execute function record_change('order');
-- a single-use consent has at most one order
create unique index payment_order_once on payment_order (consent_id) where consent_use = 'once';
-- finds the orders under a consent with limits, for its page and to verify its limits
create index payment_order_within_limits on payment_order (consent_id, created_at)
  where consent_use = 'within limits';
create index payment_order_signing on payment_order (authorisation_expires_at)
  where authorisation_status = 'AWAF';
create index payment_order_debtor on payment_order (debtor_account_id, created_at);
-- finds the standing orders of an account among all its orders
create index payment_order_schedule on payment_order (debtor_account_id)
  where terms->'schedule' is not null;
create index payment_order_file_in_work on payment_order (file_in_work_since)
  where file_in_work_since is not null;

-- What the orders of a consent use of its limits, per London day on which the bank accepted them:
-- the sum of the orders that were not refused or returned. The statements that create an order and
-- that refuse or return one update the sum, and an invariant of `./aldgate verify` compares it
-- with the orders. The check of a limit reads at most one row for each day of the period.
create table limit_use (
  consent_id text not null,
  day date not null,
  amount_minor bigint not null,
  primary key (consent_id, day)
)
-- every order under the consent changes the row of its day, in place
with (fillfactor = 50);

-- Checks new orders against the limits of their consents, and counts those that fit. Each order has
-- an item in the first six arrays: its id, its consent, the statuses in which the consent can be
-- used (as the text of an array), its day, its amount, and whether it counts. An order that does not
-- count is not added to the sums: the bank creates it as rejected. Each limit has an item in the
-- last four arrays: the position of its order in the first arrays, and the sum that must not be
-- exceeded from its first day until its last. The limits are in the sequence of their orders. Days
-- are numbers of days since 1 January 1970. Returns each order whose consent can be used, with the
-- limits that it would exceed, counted from 0 for each order. The caller creates the orders that
-- exceed none, in the same transaction, which keeps the consents locked.
--
-- The locks come first, and the sums are read by later statements: a statement sees what was
-- committed before it began, so that one that waited for a lock itself would miss the orders of the
-- transaction that it waited for.
create function take_limits(order_ids text[], consent_ids text[], usable_in text[],
  days integer[], amounts bigint[], counted boolean[],
  limit_orders integer[], firsts integer[], lasts integer[], limits bigint[])
returns table (order_id text, exceeded integer[])
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $body$
declare
  locked text[];
  statuses text[];
  remainders bigint[];
  remaining bigint;
  n integer := 1;
  place integer;
  -- the sums of the orders before it in this call
  taken_of text[] := '{}';
  taken_on integer[] := '{}';
  taken_minor bigint[] := '{}';
begin
  select array_agg(l.consent_id), array_agg(l.status) into locked, statuses
  from lock_consents(consent_ids) l;
  remainders := array(
    select limits[w] - (
      select coalesce(sum(u.amount_minor), 0)::bigint from limit_use u
      where u.consent_id = consent_ids[limit_orders[w]]
        and u.day between date 'epoch' + firsts[w] and date 'epoch' + lasts[w])
    from generate_series(1, cardinality(limits)) w);
  for i in 1..cardinality(order_ids) loop
    exceeded := '{}';
    place := 0;
    while limit_orders[n] = i loop
      remaining := remainders[n];
      if consent_ids[i] = any(taken_of) then
        for k in 1..cardinality(taken_of) loop
          if taken_of[k] = consent_ids[i] and taken_on[k] between firsts[n] and lasts[n] then
            remaining := remaining - taken_minor[k];
          end if;
        end loop;
      end if;
      if amounts[i] > remaining then
        exceeded := exceeded || place;
      end if;
      n := n + 1;
      place := place + 1;
    end loop;
    continue when (statuses[array_position(locked, consent_ids[i])]
      = any(usable_in[i]::text[])) is not true;
    order_id := order_ids[i];
    return next;
    if exceeded = '{}' and counted[i] then
      place := array_position(taken_of, consent_ids[i]);
      while taken_on[place] <> days[i] loop
        place := array_position(taken_of, consent_ids[i], place + 1);
      end loop;
      if place is null then
        taken_of := taken_of || consent_ids[i];
        taken_on := taken_on || days[i];
        taken_minor := taken_minor || amounts[i];
      else
        taken_minor[place] := taken_minor[place] + amounts[i];
      end if;
    end if;
  end loop;
  insert into limit_use (consent_id, day, amount_minor)
  select t.consent_id, date 'epoch' + t.day, t.amount_minor
  from unnest(taken_of, taken_on, taken_minor) as t(consent_id, day, amount_minor)
  order by t.consent_id, t.day
  on conflict (consent_id, day) do update
    set amount_minor = limit_use.amount_minor + excluded.amount_minor;
end $body$;

-- The unit of execution. An order has one payment, or one per occurrence or instruction.
create table payment (
  payment_id text primary key,
  order_id text not null references payment_order,
  sequence integer not null,
  -- The payment's date in the order's schedule, from which the next date is calculated. execute_at
  -- is the working day on which it is made. Null for payments without a schedule.
  scheduled_on date,
  -- whether this is the schedule's last payment; null for payments without a schedule
  is_last boolean,
  status text not null,
  status_reason_code text,
  status_reason_text text,
  created_at timestamptz not null,
  status_updated_at timestamptz not null,
  debtor_account_id text not null,
  amount_minor positive_minor not null,
  -- the bank's charge, which the debtor pays in addition, in the same currency
  charge_minor charged_minor not null default 0,
  currency text not null,
  -- the international terms of the bank's port (src/bank/international-record.ts); null for a payment
  -- in the account's currency
  international json,
  -- {schemeName, identification, name, secondaryIdentification?}
  creditor json not null,
  end_to_end_id text,
  reference text,
  local_instrument text,
  -- when the payment is to be executed; null means immediately
  execute_at timestamptz,
  -- when the engine processes the payment next; null if nothing is left to do
  due_at timestamptz,
  lease_owner text,
  lease_until timestamptz,
  attempt integer not null default 0,
  -- Consecutive calls to the core that failed because of this payment. They determine how long it
  -- waits, so that it does not delay the payments that were sent in the same call.
  failures integer not null default 0,
  -- how many payments its next call may contain; null sets no limit
  call_limit payments_per_call,
  -- the order of a file's payment that is in progress; null for all other payments. An invariant
  -- compares it with the status, as in payment_order
  in_work_of_file text,
  unique (order_id, sequence)
)
-- A lease and the status after the reservation change in place, as an order's status does. The last
-- change does not: it takes the payment out of the index of due payments.
with (fillfactor = 50);
-- Payments that fall due together are made in the order of their file. If funds run short, the last
-- ones are not made.
create index payment_due_in_order on payment (due_at, sequence) where due_at is not null;
-- a schedule never pays twice for one date
create unique index payment_occurrence on payment (order_id, scheduled_on)
  where scheduled_on is not null;
create index payment_waiting on payment (debtor_account_id, execute_at)
  where execute_at is not null and due_at is not null;
-- the payments of files in progress: if there are none, the engine finds out from an empty index
create index payment_of_file_in_work on payment (in_work_of_file)
  where in_work_of_file is not null;

-- Files of payments: an upload for a consent, stored both as bytes and as payments.
create table payment_file (
  file_id text primary key,
  -- null during the upload; the remains of an interrupted upload are deleted later
  consent_id text unique references consent,
  -- by the database's clock, like a lease
  begun_at timestamptz not null default clock_timestamp(),
  -- as it was sent, with its parameters
  content_type text not null
);
create index payment_file_coming on payment_file (begun_at) where consent_id is null;

create table payment_file_chunk (
  file_id text not null references payment_file on delete cascade,
  position integer not null,
  -- stored without compression: the sender may have compressed the file, and chunks are read in
  -- order
  bytes bytea storage external not null,
  primary key (file_id, position)
);

create table payment_file_batch (
  file_id text not null references payment_file on delete cascade,
  first_sequence integer not null,
  -- rows of payment, with the TPP's identifiers of its instructions
  instructions json not null,
  primary key (file_id, first_sequence)
);

-- Standing orders as account information shows them: the order, its next payment and the last
-- payment that left the account. An order that waits for signatures is not listed. An order that
-- has ended or was cancelled has no next payment. Query the view for one account: `where account_id
-- = …`.
create view standing_order as
select o.order_id as standing_order_id, o.debtor_account_id as account_id, o.kind,
  -- {unit, every, day …}: `Rhythm`
  o.terms->'schedule'->'rhythm' as rhythm,
  f.reference,
  -- {schemeName, identification, name, secondaryIdentification?}
  f.creditor, f.currency,
  (o.terms->'schedule'->>'numberOfPayments')::integer as number_of_payments,
  n.payment_id is not null as is_active,
  (o.terms->'schedule'->>'firstDate')::date as first_payment_on,
  (o.terms->'schedule'->>'firstMinor')::bigint as first_payment_minor,
  -- the date of the second payment, if it was given
  (o.terms->'schedule'->>'recurringDate')::date as recurring_payment_on,
  n.scheduled_on as next_payment_on, n.execute_at as next_payment_at,
  n.amount_minor as next_payment_minor,
  l.scheduled_on as last_payment_on, l.execute_at as last_payment_at,
  l.amount_minor as last_payment_minor,
  -- null if the order has no end date
  (o.terms->'schedule'->>'finalDate')::date as final_payment_on,
  (o.terms->'schedule'->>'finalMinor')::bigint as final_payment_minor,
  o.status, o.created_at,
  -- {bic, name, country}; null for a domestic payment
  f.international->'creditorAgent' as creditor_agent,
  -- `Mandate` and `Remittance`; null if the order gives only a reference
  o.terms->'mandate' as mandate, o.terms->'remittance' as remittance
from payment_order o
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

-- The scheduled payments that an account still has to make: everybody who must sign has signed, and
-- the payment was not made, rejected or cancelled.
create view scheduled_payment as
select p.payment_id, o.order_id, p.debtor_account_id as account_id, p.execute_at, p.reference,
  p.creditor, p.amount_minor, p.currency,
  -- {bic, name, country}; null for a domestic payment
  p.international->'creditorAgent' as creditor_agent
from payment p
join payment_order o on o.order_id = p.order_id
where p.execute_at is not null and p.due_at is not null
  and o.family = 'scheduled'
  and o.status in ('RCVD', 'PDNG', 'ACTC', 'ACCP', 'ACFC', 'ACSP')
  and coalesce(o.authorisation_status, 'AUTH') = 'AUTH';
