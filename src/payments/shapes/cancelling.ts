import type { StatusReason } from "#src/consents/consent.ts";
import { byCustomer, changed } from "#src/history/change.ts";
import {
  type OrderFamily,
  orderStatusesBefore,
  paymentStatusesBefore,
} from "#src/payments/order/order-states.ts";
import type { Queryable } from "#src/storage/database.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** How customers cancel the orders of a status table, and find those that they can cancel. */
type Cancelling = {
  /**
   * A query of the orders on these accounts that can be cancelled: `payment_id`, the payment to
   * show; `execute_at`, when it or an earlier one of a file is made; and `fixed`, whether it cannot
   * be cancelled: it is an immediate one, or its rate is fixed and its funds are reserved.
   */
  upcoming(accountIds: string[]): Sql;
  /** Cancels an order, unless it is too late. Absent if such an order is never cancelled. */
  cancel?(on: Queryable, order: { orderId: string; now: Temporal.Instant }): Promise<boolean>;
};

const cancellable = paymentStatusesBefore("scheduled", "cancel");

const reasonFor = (what: "payment" | "standing order" | "file of payments"): StatusReason => ({
  code: "CUST",
  text: `RequestedByCustomer: the customer has cancelled the ${what}.`,
});

const orderCancelled = (now: Temporal.Instant, reason: StatusReason) => sql`
  status = 'CANC', status_updated_at = ${now}, status_reason = ${JSON.stringify([reason])}::json,
  file_in_work_since = null, ${changed(byCustomer(now))}`;

const paymentCancelled = (now: Temporal.Instant, reason: StatusReason) => sql`
  status = 'CANC', status_updated_at = ${now}, due_at = null, in_work_of_file = null,
  status_reason_code = ${reason.code},
  status_reason_text = ${reason.text}`;

/**
 * An immediate payment that waits: after the cut-off, or because the bank's core wants it later. It
 * is shown, but the standard has no cancellation for it.
 */
const immediate: Cancelling = {
  upcoming: (accountIds) => sql`
    select p.payment_id, p.execute_at, true
    from payment p join payment_order o on o.order_id = p.order_id
    where p.debtor_account_id = any(${accountIds}::text[]) and p.execute_at is not null
      and p.due_at is not null and o.family = 'immediate'
      and p.status = any(${["PDNG", "ACCP"]}::text[])`,
};

/** A future-dated payment. After the engine has leased it on its date, it is too late. */
const scheduled: Cancelling = {
  upcoming: (accountIds) => sql`
    select p.payment_id, p.execute_at, p.status = 'ACFC' as fixed
    from payment_order o join payment p on p.order_id = o.order_id
    where o.debtor_account_id = any(${accountIds}::text[]) and o.family = 'scheduled'
      and (p.status = any(${cancellable}::text[])
        or p.status = 'ACFC' and (p.international->>'fundsAtOnce')::boolean)
      and p.execute_at is not null`,
  async cancel(on, { orderId, now }) {
    const reason = reasonFor("payment");
    const rows = await on.query(sql`
      with cancelled as (
        update payment p set ${paymentCancelled(now, reason)}
        where p.order_id = ${orderId} and p.execute_at > ${now}
          and p.lease_owner is null and p.status = any(${cancellable}::text[])
        returning p.order_id
      )
      update payment_order o set ${orderCancelled(now, reason)}
      from cancelled c where o.order_id = c.order_id
      returning o.order_id`);
    return rows.length > 0;
  },
};

const cancellableOrders = orderStatusesBefore("standingOrder", "cancel");

/**
 * A standing order that has a planned payment. A payment whose date has come is still made. The
 * order is updated first: an engine that is about to plan the next payment waits for it, or has
 * planned it before the payments are read.
 */
const standingOrder: Cancelling = {
  upcoming: (accountIds) => sql`
    select p.payment_id, p.execute_at, false
    from payment_order o join payment p on p.order_id = o.order_id
    where o.debtor_account_id = any(${accountIds}::text[]) and o.family = 'standingOrder'
      and o.status = any(${cancellableOrders}::text[])
      and p.status = any(${cancellable}::text[]) and p.execute_at is not null`,
  async cancel(on, { orderId, now }) {
    const reason = reasonFor("standing order");
    const rows = await on.query(sql`
      update payment_order o set ${orderCancelled(now, reason)}
      where o.order_id = ${orderId} and o.status = any(${cancellableOrders}::text[])
        and exists (select from payment p
          where p.order_id = o.order_id and p.status = any(${cancellable}::text[])
            and (not p.is_last or p.execute_at > ${now} and p.lease_owner is null))
      returning o.order_id`);
    if (rows.length === 0) return false;
    await on.query(sql`
      update payment set ${paymentCancelled(now, reason)}
      where order_id = ${orderId} and execute_at > ${now} and lease_owner is null
        and status = any(${cancellable}::text[])`);
    return true;
  },
};

const cancellableFiles = orderStatusesBefore("file", "cancel");

/**
 * A file as a whole, if every payment in it is in the future: the customer has approved all of them
 * or none.
 */
const file: Cancelling = {
  upcoming: (accountIds) => sql`
    select p.payment_id, ahead.first_at, false
    from payment_order o join payment p on p.order_id = o.order_id
    cross join lateral (
      select min(f.execute_at) as first_at,
        bool_and(f.execute_at is not null and f.status = any(${cancellable}::text[])) as is_whole
      from payment f where f.order_id = o.order_id
    ) ahead
    where o.debtor_account_id = any(${accountIds}::text[]) and o.family = 'file'
      and p.sequence = 1 and o.status = any(${cancellableFiles}::text[]) and ahead.is_whole`,
  async cancel(on, { orderId, now }) {
    const reason = reasonFor("file of payments");
    // locked in a fixed order, so that an engine that leases one of them either waits or was first
    await on.query(sql`
      select payment_id from payment where order_id = ${orderId} order by sequence for update`);
    const rows = await on.query(sql`
      update payment_order o set ${orderCancelled(now, reason)}
      where o.order_id = ${orderId} and o.status = any(${cancellableFiles}::text[])
        and not exists (select from payment p where p.order_id = o.order_id
          and (p.execute_at is null or p.execute_at <= ${now} or p.lease_owner is not null
            or p.status <> all(${cancellable}::text[])))
      returning order_id`);
    if (rows.length === 0) return false;
    await on.query(sql`
      update payment set ${paymentCancelled(now, reason)} where order_id = ${orderId}`);
    return true;
  },
};

/** By status table. */
export const cancelling: Record<OrderFamily, Cancelling> = {
  immediate,
  scheduled,
  standingOrder,
  file,
};
