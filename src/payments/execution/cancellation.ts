import type { StatusReason } from "#src/consents/consent.ts";
import { byCustomer, changed } from "#src/history/change.ts";
import type { Clock } from "#src/lib/clock.ts";
import {
  type OrderFamily,
  orderStatusesBefore,
  paymentStatusesBefore,
} from "#src/payments/order/order-states.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { listOwnAccountIds, type OwnOrdersDeps } from "./own-accounts.ts";
import { type ShownOrder, shownColumns, shownOrders } from "./shown-order.ts";

/** The result of a cancellation; `tooLate`: its date has come, or it has ended already. */
export type CancellationResult = "notFound" | "notYours" | "tooLate" | "cancelled";

const cancellable = paymentStatusesBefore("scheduled", "cancel");
const cancellableOrders = orderStatusesBefore("standingOrder", "cancel");

const cancellableFiles = orderStatusesBefore("file", "cancel");

const reasonFor = (what: "payment" | "standing order" | "file of payments"): StatusReason => ({
  code: "CUST",
  text: `RequestedByCustomer: the customer has cancelled the ${what}.`,
});

type Deps = OwnOrdersDeps & { clock: Clock };
type Cancellation = { orderId: string; customerId: string };

/** An order to be cancelled now. */
type Order = { orderId: string; now: Temporal.Instant };

/**
 * Cancels the remaining payments of an order for its customer: a future-dated payment, all later
 * payments of a standing order, or a file of which no payment has begun. Source: PISP resource
 * pages, Domestic Scheduled Payments, State Model.
 */
export async function cancelOrder(
  { database, bank, clock }: Deps,
  { orderId, customerId }: Cancellation,
): Promise<CancellationResult> {
  const accountIds = await listOwnAccountIds(bank, customerId);
  const found = await first<{ family: OrderFamily; mayCancel: boolean }>(
    database,
    sql`select o.family, o.debtor_account_id = any(${accountIds}::text[]) as "mayCancel"
      from payment_order o where o.order_id = ${orderId}`,
  );
  const cancel = found && ways[found.family];
  if (!found || !cancel) return "notFound";
  if (!found.mayCancel) return "notYours";
  const order = { orderId, now: clock.now() };
  const isCancelled = await database.transaction((transaction) => cancel(transaction, order));
  return isCancelled ? "cancelled" : "tooLate";
}

const orderCancelled = (now: Temporal.Instant, reason: StatusReason) => sql`
  status = 'CANC', status_updated_at = ${now}, status_reason = ${JSON.stringify([reason])}::json,
  file_in_work_since = null, ${changed(byCustomer(now))}`;

const paymentCancelled = (now: Temporal.Instant, reason: StatusReason) => sql`
  status = 'CANC', status_updated_at = ${now}, due_at = null, in_work_of_file = null,
  status_reason_code = ${reason.code},
  status_reason_text = ${reason.text}`;

/** After the engine has leased a payment on its date, it is too late. */
async function cancelScheduledPayment(on: Queryable, { orderId, now }: Order): Promise<boolean> {
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
}

/**
 * Ends a standing order that has a planned payment. A payment whose date has come is still made.
 * The order is updated first: an engine that is about to plan the next payment waits for it, or has
 * planned it before the payments are read.
 */
async function cancelStandingOrder(on: Queryable, { orderId, now }: Order): Promise<boolean> {
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
}

/**
 * Cancels a file as a whole if every payment in it is in the future: the customer has approved all
 * of them or none.
 */
async function cancelFile(on: Queryable, { orderId, now }: Order): Promise<boolean> {
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
}

// An immediate payment cannot be cancelled.
const ways: Partial<Record<OrderFamily, (on: Queryable, order: Order) => Promise<boolean>>> = {
  scheduled: cancelScheduledPayment,
  standingOrder: cancelStandingOrder,
  file: cancelFile,
};

/** A future-dated payment, or the next payment of a standing order, for its customer. */
export type UpcomingPayment = ShownOrder & {
  executeAt: Temporal.Instant;
  /**
   * Whether it can no longer be cancelled, because its rate is fixed and its funds are reserved.
   */
  fixed: boolean;
};

/** The upcoming payments of a customer's accounts that can be cancelled, soonest first. */
export async function listUpcoming(
  { database, bank }: OwnOrdersDeps,
  customerId: string,
): Promise<UpcomingPayment[]> {
  const accountIds = await listOwnAccountIds(bank, customerId);
  const [payments, files] = await Promise.all([
    listUpcomingPayments(database, accountIds),
    listUpcomingFiles(database, accountIds),
  ]);
  return [...payments, ...files].sort((a, b) => Temporal.Instant.compare(a.executeAt, b.executeAt));
}

/** The files of which every payment is in the future. */
const listUpcomingFiles = (on: Queryable, accountIds: string[]): Promise<UpcomingPayment[]> =>
  on.query<UpcomingPayment>(sql`
    select ${shownColumns}, ahead.first_at as "executeAt", false as fixed
    from ${shownOrders}
    cross join lateral (
      select min(f.execute_at) as first_at,
        bool_and(f.execute_at is not null and f.status = any(${cancellable}::text[])) as is_whole
      from payment f where f.order_id = o.order_id
    ) ahead
    where o.debtor_account_id = any(${accountIds}::text[]) and p.sequence = 1
      and o.family = 'file'
      and o.status = any(${cancellableFiles}::text[]) and ahead.is_whole`);

function listUpcomingPayments(on: Queryable, accountIds: string[]): Promise<UpcomingPayment[]> {
  return on.query<UpcomingPayment>(sql`
    select ${shownColumns}, p.execute_at as "executeAt",
      p.status <> all(${cancellable}::text[]) as fixed
    from ${shownOrders}
    where o.debtor_account_id = any(${accountIds}::text[]) and (
        p.status = any(${cancellable}::text[])
          and o.status = any(${[...cancellable, ...cancellableOrders]}::text[])
        or p.status = 'ACFC' and (p.international->>'fundsAtOnce')::boolean)
      and o.family in ('scheduled', 'standingOrder')
      and p.execute_at is not null
    order by p.execute_at, o.order_id`);
}
