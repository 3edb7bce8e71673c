import type { Clock } from "#src/lib/clock.ts";
import type { OrderFamily } from "#src/payments/order/order-states.ts";
import {
  type PlacedOrder,
  type PlacedRow,
  placedColumns,
  placedOrderOf,
  placedOrders,
} from "#src/payments/order/placed-order.ts";
import { cancelling } from "#src/payments/shapes/cancelling.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { listOwnAccountIds, type OwnOrdersDeps } from "./own-accounts.ts";

/** The result of a cancellation; `tooLate`: its date has come, or it has ended already. */
export type CancellationResult = "notFound" | "notYours" | "tooLate" | "cancelled";

/**
 * Cancels the remaining payments of an order for its customer: a future-dated payment, all later
 * payments of a standing order, or a file of which no payment has begun. Source: PISP resource
 * pages, Domestic Scheduled Payments, State Model.
 */
export async function cancelOrder(
  { database, bank, clock }: OwnOrdersDeps & { clock: Clock },
  { orderId, customerId }: { orderId: string; customerId: string },
): Promise<CancellationResult> {
  const accountIds = await listOwnAccountIds(bank, customerId);
  const found = await first<{ family: OrderFamily; mayCancel: boolean }>(
    database,
    sql`select o.family, o.debtor_account_id = any(${accountIds}::text[]) as "mayCancel"
      from payment_order o where o.order_id = ${orderId}`,
  );
  const { cancel } = found ? cancelling[found.family] : {};
  if (!found || !cancel) return "notFound";
  if (!found.mayCancel) return "notYours";
  const order = { orderId, now: clock.now() };
  const isCancelled = await database.transaction((on) => cancel(on, order));
  return isCancelled ? "cancelled" : "tooLate";
}

/** An order with its next payment, for its customer. */
export type UpcomingOrder = PlacedOrder & {
  /** When that payment is made; of a file, the first one. */
  executeAt: Temporal.Instant;
  /**
   * Whether it cannot be cancelled: it is an immediate payment that waits, or its rate is fixed and
   * its funds are reserved.
   */
  fixed: boolean;
};

/** The orders on a customer's accounts that wait for their day, soonest first. */
export async function listUpcoming(
  { database, bank }: OwnOrdersDeps,
  customerId: string,
): Promise<UpcomingOrder[]> {
  const accountIds = await listOwnAccountIds(bank, customerId);
  const found = Object.values(cancelling)
    .map(({ upcoming }) => upcoming(accountIds))
    .reduce((all, some) => sql`${all} union all ${some}`);
  const rows = await database.query<PlacedRow & { at: Temporal.Instant; fixed: boolean }>(sql`
    select ${placedColumns}, u.execute_at as at, u.fixed
    from (${found}) as u(payment_id, execute_at, fixed)
    join (${placedOrders}) on p.payment_id = u.payment_id
    order by u.execute_at, o.order_id`);
  return rows.map((row) => ({ ...row, ...placedOrderOf(row), executeAt: row.at }));
}
