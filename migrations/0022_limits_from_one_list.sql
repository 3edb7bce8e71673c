-- Room: payments. The check of limits reads one list of orders, each with its limits. Before, it
-- read ten arrays whose items had to be in the same sequence. The older function goes, because the
-- processes of an older version are stopped before an upgrade.

drop function take_limits(text[], text[], text[], integer[], bigint[], boolean[], integer[],
  integer[], integer[], bigint[]);

-- Checks new orders against the limits of their consents, in the sequence of the list, and counts
-- those that fit. An order names the statuses in which its consent can be used, its day, and whether
-- it counts. An order that does not count is not added to the sums: the bank creates it as rejected.
-- A limit is the sum that must not be exceeded from its first day until its last. Returns each order
-- whose consent can be used, with the positions of the limits that it would exceed. The caller
-- creates the orders that exceed none, in the same transaction, which keeps the consents locked.
--
-- The locks come first, and the sums are read by later statements: a statement sees what was
-- committed before it began, so that one that waited for a lock itself would miss the orders of the
-- transaction that it waited for. The sums are stored last, in the order of consent and day, so that
-- two batches never wait for each other.
create function take_limits(orders json)
returns table (order_id text, exceeded integer[])
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $body$
declare
  locked text[];
  statuses text[];
  asked record;
  -- what the orders before it in this call use
  taken limit_use[] := '{}';
begin
  select array_agg(l.consent_id), array_agg(l.status) into locked, statuses
  from lock_consents(array(select o->>'consent_id' from json_array_elements(orders) o)) l;
  for asked in
    select o.* from json_to_recordset(orders) as o(order_id text, consent_id text,
      usable_in text[], day date, amount_minor bigint, is_counted boolean, limits json)
  loop
    continue when (statuses[array_position(locked, asked.consent_id)]
      = any(asked.usable_in)) is not true;
    order_id := asked.order_id;
    exceeded := array(
      select w.place::integer - 1
      from rows from (json_to_recordset(asked.limits)
        as (first date, last date, limit_minor bigint)) with ordinality
        as w(first, last, limit_minor, place)
      where asked.amount_minor > w.limit_minor - (
        select coalesce(sum(u.amount_minor), 0) from limit_use u
        where u.consent_id = asked.consent_id and u.day between w.first and w.last) - (
        select coalesce(sum(t.amount_minor), 0) from unnest(taken) t
        where t.consent_id = asked.consent_id and t.day between w.first and w.last)
      order by w.place);
    return next;
    if exceeded = '{}' and asked.is_counted then
      taken := taken || row(asked.consent_id, asked.day, asked.amount_minor)::limit_use;
    end if;
  end loop;
  insert into limit_use (consent_id, day, amount_minor)
  select t.consent_id, t.day, sum(t.amount_minor) from unnest(taken) t
  group by t.consent_id, t.day order by t.consent_id, t.day
  on conflict (consent_id, day) do update
    set amount_minor = limit_use.amount_minor + excluded.amount_minor;
end $body$;
