import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** An order's payment as payment-details shows it. */
export type PaymentDetail = {
  paymentId: string;
  status: string;
  statusUpdatedAt: Temporal.Instant;
  reasonCode: string | null;
  reasonText: string | null;
  localInstrument: string | null;
};

/** Whose order it is, and its payments in their order; undefined when there is no such order. */
export async function loadPaymentDetails(
  on: Queryable,
  orderId: string,
): Promise<{ kind: string; clientId: string; payments: PaymentDetail[] } | undefined> {
  type Row = PaymentDetail & { kind: string; clientId: string; paymentId: string | null };
  const rows = await on.query<Row>(sql`
    select o.kind, o.client_id as "clientId", p.payment_id as "paymentId", p.status,
      p.status_updated_at as "statusUpdatedAt", p.status_reason_code as "reasonCode",
      p.status_reason_text as "reasonText", p.local_instrument as "localInstrument"
    from payment_order o left join payment p on p.order_id = o.order_id
    where o.order_id = ${orderId} order by p.sequence`);
  const [order] = rows;
  if (!order) return undefined;
  const payments = rows.filter((row) => row.paymentId !== null);
  return { kind: order.kind, clientId: order.clientId, payments };
}
