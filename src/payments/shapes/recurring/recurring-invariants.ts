import { waitingStatuses } from "#src/payments/order/order-states.ts";
import type { Invariant } from "#src/storage/invariants.ts";
import { sql } from "#src/storage/sql.ts";

/**
 * The invariants of standing orders. Once its day has come, a payment of a standing order that has
 * ended may still wait under a lease or for its engine.
 */
export const recurringInvariants: readonly Invariant[] = [
  {
    name: "a running standing order has one planned payment, until its last payment",
    breaches: (
      within,
    ) => sql`select o.order_id, case when s.ended then 'none' else 'one' end, s.waiting
      from payment_order o join lateral (
        select count(*) filter (where p.status = any(${waitingStatuses}::text[])) as waiting,
          bool_or(p.is_last and p.status <> all(${waitingStatuses}::text[])) as ended
        from payment p where p.order_id = o.order_id
      ) s on true
      where ${within(sql`o.order_id`)} and o.family = 'standingOrder'
        and o.status not in ('CANC', 'RJCT')
        and s.waiting <> (not s.ended)::integer`,
  },
  {
    name: "a cancelled or rejected order has no planned payment",
    breaches: (within) => sql`select o.order_id, 'nothing to come', p.scheduled_on
      from payment_order o join payment p on p.order_id = o.order_id
      where ${within(sql`o.order_id`)} and o.family = 'standingOrder'
        and o.status in ('CANC', 'RJCT')
        and p.status = any(${waitingStatuses}::text[]) and p.execute_at > o.status_updated_at`,
  },
  {
    name: "a standing order's payments are numbered without gaps, in order of date",
    breaches: (within) => sql`select p.order_id, 'payment ' || p.position, 'payment ' || p.sequence
        || ' on ' || p.scheduled_on || ' after ' || p.before
      from (
        select p.order_id, p.sequence, p.scheduled_on,
          row_number() over steps as position, lag(p.scheduled_on) over steps as before
        from payment p join payment_order o on o.order_id = p.order_id
        where ${within(sql`o.order_id`)} and o.family = 'standingOrder'
        window steps as (partition by p.order_id order by p.sequence)
      ) p
      where p.sequence <> p.position or p.scheduled_on is null or p.scheduled_on <= p.before`,
  },
];
