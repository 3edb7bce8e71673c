import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** Returns how many orders of a consent are stored. */
export const countOrders = async (on: Queryable, consentId: string): Promise<number> =>
  (await on.query(sql`select 1 from payment_order where consent_id = ${consentId}`)).length;

/** Returns how many of these orders have a status. */
export const countInStatus = async (
  on: Queryable,
  orderIds: readonly string[],
  status: string,
): Promise<number> =>
  (
    await on.query(sql`
      select 1 from payment_order
      where order_id = any(${orderIds}::text[]) and status = ${status}`)
  ).length;

/** Returns the stored instructions of all files as text. */
export const storedInstructions = async (on: Queryable): Promise<string> => {
  const rows = await on.query<{ text: string }>(
    sql`select instructions::text as text from payment_file_batch`,
  );
  return rows.map(({ text }) => text).join("\n");
};

/** Returns how many seconds the lease of an order's payment lasts; null if it is not leased. */
export async function leaseSeconds(on: Queryable, orderId: string): Promise<number | null> {
  const row = await first<{ seconds: number | null }>(
    on,
    sql`select extract(epoch from lease_until - clock_timestamp())::float8 as seconds
      from payment where order_id = ${orderId}`,
  );
  return row?.seconds ?? null;
}

/** An order with its payment, as the database has them. */
export type OrderWithPayment = {
  orderId: string;
  status: string;
  paymentId: string | null;
  amountMinor: bigint | null;
  /** Whether something about the payment is still to be done. */
  isOpen: boolean;
};

/** Reads the orders of a TPP, once for each of their payments. */
export const readOrdersOf = (on: Queryable, clientId: string): Promise<OrderWithPayment[]> =>
  on.query(sql`
    select o.order_id as "orderId", o.status, p.payment_id as "paymentId",
      p.amount_minor as "amountMinor", p.due_at is not null as "isOpen"
    from payment_order o left join payment p using (order_id) where o.client_id = ${clientId}`);
