import type {
  MultiAuthorisationStatus,
  OrderFamily,
  PaymentStatus,
} from "#src/payments/order/order-states.ts";
import { first } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { listOwnAccountIds, type OwnOrdersDeps } from "./own-accounts.ts";

/** How an order on a customer's account stands, for that customer. */
export type OrderStanding = {
  family: OrderFamily;
  status: PaymentStatus;
  authorisationStatus: MultiAuthorisationStatus | null;
  /** Until when signatories may sign; null for no limit. */
  expiresAt: Temporal.Instant | null;
  /** Whether this customer has signed it. */
  hasSigned: boolean;
  /** The code of the reason for its status; null for none. */
  reason: string | null;
};

type Asked = { orderId: string; customerId: string };

/** Loads how an order stands; undefined if it is on none of the customer's accounts. */
export async function loadOwnOrder(
  { database, bank }: OwnOrdersDeps,
  { orderId, customerId }: Asked,
): Promise<OrderStanding | undefined> {
  const accountIds = await listOwnAccountIds(bank, customerId);
  return first(
    database,
    sql`select o.family, o.status, o.authorisation_status as "authorisationStatus",
        o.authorisation_expires_at as "expiresAt",
        coalesce(${customerId} = any(o.signed_by), false) as "hasSigned",
        o.status_reason->0->>'code' as reason
      from payment_order o
      where o.order_id = ${orderId} and o.debtor_account_id = any(${accountIds}::text[])`,
  );
}
