import type { StatusReason } from "#src/consents/consent.ts";
import type { Clock } from "#src/lib/clock.ts";
import {
  kindsOf,
  type PaymentFamily,
  paymentFamily,
  paymentStatusesBefore,
} from "#src/payments/order-states.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** What a cancellation came to; `tooLate`: its day has come, or it is at its end already. */
export type CancellationResult = "notFound" | "notYours" | "tooLate" | "cancelled";

const scheduled: PaymentFamily = "scheduled";
const cancellable = paymentStatusesBefore(scheduled, "cancel");
const scheduledKinds = kindsOf("single").filter((kind) => paymentFamily(kind) === scheduled);

const reason: StatusReason = {
  StatusReasonCode: "CUST",
  StatusReasonDescription: "RequestedByCustomer: the customer has cancelled the payment.",
};

/**
 * Cancels a future-dated payment at its customer's wish. Once the engine has leased it for its day
 * it is too late. Source: digest 2.3 (CANC), 2.17.
 */
export async function cancelScheduledPayment(
  { database, clock }: { database: Database; clock: Clock },
  { orderId, customerId }: { orderId: string; customerId: string },
): Promise<CancellationResult> {
  const now = clock.now();
  const row = await first<{ mayCancel: boolean; cancelled: boolean }>(
    database,
    sql`with found as (
      select o.order_id, exists (select from account_holder h
        where h.account_id = o.debtor_account_id and h.customer_id = ${customerId}) as may_cancel
      from payment_order o
      where o.order_id = ${orderId} and o.kind = any(${scheduledKinds}::text[])
    ), cancelled as (
      update payment p set status = 'CANC', status_updated_at = ${now}, due_at = null,
        status_reason_code = ${reason.StatusReasonCode},
        status_reason_text = ${reason.StatusReasonDescription}
      from found f
      where p.order_id = f.order_id and f.may_cancel and p.execute_at > ${now}
        and p.lease_owner is null and p.status = any(${cancellable}::text[])
      returning p.order_id
    ), followed as (
      update payment_order o set status = 'CANC', status_updated_at = ${now},
        status_reason = ${JSON.stringify([reason])}::json
      from cancelled c where o.order_id = c.order_id
    )
    select f.may_cancel as "mayCancel", exists (select from cancelled) as cancelled from found f`,
  );
  if (!row) return "notFound";
  if (!row.mayCancel) return "notYours";
  return row.cancelled ? "cancelled" : "tooLate";
}

/** A future-dated payment, as its customer is shown it. */
export type UpcomingPayment = {
  orderId: string;
  kind: string;
  debtorAccountId: string;
  amountMinor: bigint;
  currency: string;
  creditorName: string | null;
  creditorIdentification: string;
  reference: string | null;
  executeAt: Temporal.Instant;
};

/** The future-dated payments of a customer's accounts that can be cancelled, soonest first. */
export function listUpcoming(on: Queryable, customerId: string): Promise<UpcomingPayment[]> {
  return on.query<UpcomingPayment>(sql`
    select o.order_id as "orderId", o.kind, o.debtor_account_id as "debtorAccountId",
      p.amount_minor as "amountMinor", p.currency, p.creditor->>'name' as "creditorName",
      p.creditor->>'identification' as "creditorIdentification", p.reference,
      p.execute_at as "executeAt"
    from account_holder h
    join payment_order o on o.debtor_account_id = h.account_id
    join payment p on p.order_id = o.order_id
    where h.customer_id = ${customerId} and o.kind = any(${scheduledKinds}::text[])
      and o.status = any(${cancellable}::text[]) and p.execute_at is not null
    order by p.execute_at, o.order_id`);
}
