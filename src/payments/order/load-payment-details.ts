import { checkKind, type Stored } from "#src/standard/kind-id.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { PaymentOrder } from "./payment-order.ts";

/** An order's payment as payment-details shows it. */
export type PaymentDetail = {
  paymentId: string;
  sequence: number;
  status: string;
  statusUpdatedAt: Temporal.Instant;
  reasonCode: string | null;
  reasonText: string | null;
  localInstrument: string | null;
};

/** How many payments are loaded at a time: a few milliseconds' work. */
export const detailsPageSize = 500;

/** Whose order it is, and of which kind and version. */
type OrderOwner = Pick<PaymentOrder, "kind" | "apiVersion" | "clientId">;

/** Whose order it is; undefined when there is no such order. */
export async function loadOrderOwner(
  on: Queryable,
  orderId: string,
): Promise<OrderOwner | undefined> {
  const row = await first<Stored<OrderOwner>>(
    on,
    sql`select kind, api_version as "apiVersion", client_id as "clientId"
      from payment_order where order_id = ${orderId}`,
  );
  return row && checkKind(row);
}

/** An order's payments in their order, those after a sequence number, a page of them at most. */
export const loadPaymentDetails = (
  on: Queryable,
  orderId: string,
  afterSequence: number,
): Promise<PaymentDetail[]> =>
  on.query<PaymentDetail>(sql`
    select p.payment_id as "paymentId", p.sequence, p.status,
      p.status_updated_at as "statusUpdatedAt", p.status_reason_code as "reasonCode",
      p.status_reason_text as "reasonText", p.local_instrument as "localInstrument"
    from payment p where p.order_id = ${orderId} and p.sequence > ${afterSequence}
    order by p.sequence limit ${detailsPageSize}`);
