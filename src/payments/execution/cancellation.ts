import type { FileTerms, StatusReason } from "#src/consents/consent.ts";
import type { Clock } from "#src/lib/clock.ts";
import {
  kindsOf,
  orderStatusesBefore,
  type PaymentFamily,
  paymentFamily,
  paymentStatusesBefore,
} from "#src/payments/order-states.ts";
import type { ScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import { type Database, first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** What a cancellation came to; `tooLate`: its day has come, or it is at its end already. */
export type CancellationResult = "notFound" | "notYours" | "tooLate" | "cancelled";

const scheduled: PaymentFamily = "scheduled";
const cancellable = paymentStatusesBefore(scheduled, "cancel");
const scheduledKinds = kindsOf("single").filter((kind) => paymentFamily(kind) === scheduled);
const standingOrderKinds = kindsOf("standingOrder");
const cancellableOrders = orderStatusesBefore("standingOrder", "cancel");

const fileKinds = kindsOf("file");
const cancellableFiles = orderStatusesBefore("file", "cancel");

const reasonFor = (what: "payment" | "standing order" | "file of payments"): StatusReason => ({
  StatusReasonCode: "CUST",
  StatusReasonDescription: `RequestedByCustomer: the customer has cancelled the ${what}.`,
});

type Deps = { database: Database; clock: Clock };
type Cancellation = { orderId: string; customerId: string };

/**
 * Cancels at its customer's wish what is still to come of an order: a future-dated payment, all
 * later payments of a standing order, or a file of which no payment has begun. Source: digest 2.3
 * (CANC), 2.17.
 */
export async function cancelOrder(deps: Deps, given: Cancellation): Promise<CancellationResult> {
  for (const cancel of [cancelScheduledPayment, cancelStandingOrder]) {
    const result = await cancel(deps, given);
    if (result !== "notFound") return result;
  }
  return cancelFile(deps, given);
}

/** Once the engine has leased a payment for its day it is too late. */
async function cancelScheduledPayment(
  { database, clock }: Deps,
  { orderId, customerId }: Cancellation,
): Promise<CancellationResult> {
  const now = clock.now();
  const reason = reasonFor("payment");
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

/**
 * Ends a standing order that has a payment to come. One whose day has come is made all the same.
 * The order goes first: an engine that is about to plan the next payment waits for it, or has
 * planned it by the time that payments are looked at.
 */
async function cancelStandingOrder(
  { database, clock }: Deps,
  { orderId, customerId }: Cancellation,
): Promise<CancellationResult> {
  const now = clock.now();
  const reason = reasonFor("standing order");
  return database.transaction(async (transaction) => {
    const row = await first<{ mayCancel: boolean; cancelled: boolean }>(
      transaction,
      sql`with found as (
        select o.order_id, exists (select from account_holder h
            where h.account_id = o.debtor_account_id and h.customer_id = ${customerId})
            as may_cancel,
          exists (select from payment p
            where p.order_id = o.order_id and p.status = any(${cancellable}::text[])
              and (not p.is_last or p.execute_at > ${now} and p.lease_owner is null)) as has_more
        from payment_order o
        where o.order_id = ${orderId} and o.kind = any(${standingOrderKinds}::text[])
      ), cancelled as (
        update payment_order o set status = 'CANC', status_updated_at = ${now},
          status_reason = ${JSON.stringify([reason])}::json
        from found f
        where o.order_id = f.order_id and f.may_cancel and f.has_more
          and o.status = any(${cancellableOrders}::text[])
        returning o.order_id
      )
      select f.may_cancel as "mayCancel", exists (select from cancelled) as cancelled
      from found f`,
    );
    if (!row) return "notFound";
    if (!row.mayCancel) return "notYours";
    if (!row.cancelled) return "tooLate";
    await transaction.query(sql`
      update payment set status = 'CANC', status_updated_at = ${now}, due_at = null,
        status_reason_code = ${reason.StatusReasonCode},
        status_reason_text = ${reason.StatusReasonDescription}
      where order_id = ${orderId} and execute_at > ${now} and lease_owner is null
        and status = any(${cancellable}::text[])`);
    return "cancelled";
  });
}

/**
 * Cancels a file as a whole, as long as every payment of it lies ahead: the customer has approved
 * all of them or none.
 */
async function cancelFile(
  { database, clock }: Deps,
  { orderId, customerId }: Cancellation,
): Promise<CancellationResult> {
  const now = clock.now();
  const reason = reasonFor("file of payments");
  return database.transaction(async (transaction) => {
    const found = await first<{ mayCancel: boolean }>(
      transaction,
      sql`select exists (select from account_holder h where h.account_id = o.debtor_account_id
          and h.customer_id = ${customerId}) as "mayCancel"
        from payment_order o where o.order_id = ${orderId} and o.kind = any(${fileKinds}::text[])`,
    );
    if (!found) return "notFound";
    if (!found.mayCancel) return "notYours";
    // locked in one order, so that an engine which is about to lease one of them waits or was first
    await transaction.query(sql`
      select payment_id from payment where order_id = ${orderId} order by sequence for update`);
    const cancelled = await transaction.query(sql`
      update payment_order o set status = 'CANC', status_updated_at = ${now},
        status_reason = ${JSON.stringify([reason])}::json
      where o.order_id = ${orderId} and o.status = any(${cancellableFiles}::text[])
        and not exists (select from payment p where p.order_id = o.order_id
          and (p.execute_at is null or p.execute_at <= ${now} or p.lease_owner is not null
            or p.status <> all(${cancellable}::text[])))
      returning order_id`);
    if (cancelled.length === 0) return "tooLate";
    await transaction.query(sql`
      update payment set status = 'CANC', status_updated_at = ${now}, due_at = null,
        status_reason_code = ${reason.StatusReasonCode},
        status_reason_text = ${reason.StatusReasonDescription}
      where order_id = ${orderId}`);
    return "cancelled";
  });
}

/** A future-dated payment, or the next of a standing order, as its customer is shown it. */
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
  /** Of a standing order; null for other kinds. */
  schedule: ScheduleRecord | null;
  /** Of a file: the payment is the first of it then; null for other kinds. */
  file: FileTerms | null;
  /** Whether it is too late to cancel it: its rate is fixed and its funds are set aside. */
  fixed: boolean;
};

/** What comes on a customer's accounts and can be cancelled, soonest first. */
export async function listUpcoming(on: Queryable, customerId: string): Promise<UpcomingPayment[]> {
  const [payments, files] = await Promise.all([
    listUpcomingPayments(on, customerId),
    listUpcomingFiles(on, customerId),
  ]);
  return [...payments, ...files].sort((a, b) => Temporal.Instant.compare(a.executeAt, b.executeAt));
}

/** The files of which every payment lies ahead. */
const listUpcomingFiles = (on: Queryable, customerId: string): Promise<UpcomingPayment[]> =>
  on.query<UpcomingPayment>(sql`
    select o.order_id as "orderId", o.kind, o.debtor_account_id as "debtorAccountId",
      p.amount_minor as "amountMinor", p.currency, p.creditor->>'name' as "creditorName",
      p.creditor->>'identification' as "creditorIdentification", p.reference,
      ahead.first_at as "executeAt", null::json as schedule, c.terms->'file' as file,
      false as fixed
    from account_holder h
    join payment_order o on o.debtor_account_id = h.account_id
    join consent c on c.consent_id = o.consent_id
    join payment p on p.order_id = o.order_id and p.sequence = 1
    cross join lateral (
      select min(f.execute_at) as first_at,
        bool_and(f.execute_at is not null and f.status = any(${cancellable}::text[])) as is_whole
      from payment f where f.order_id = o.order_id
    ) ahead
    where h.customer_id = ${customerId} and o.kind = any(${fileKinds}::text[])
      and o.status = any(${cancellableFiles}::text[]) and ahead.is_whole`);

function listUpcomingPayments(on: Queryable, customerId: string): Promise<UpcomingPayment[]> {
  return on.query<UpcomingPayment>(sql`
    select o.order_id as "orderId", o.kind, o.debtor_account_id as "debtorAccountId",
      p.amount_minor as "amountMinor", p.currency, p.creditor->>'name' as "creditorName",
      p.creditor->>'identification' as "creditorIdentification", p.reference,
      p.execute_at as "executeAt", o.terms->'schedule' as schedule, null::json as file,
      p.status <> all(${cancellable}::text[]) as fixed
    from account_holder h
    join payment_order o on o.debtor_account_id = h.account_id
    join payment p on p.order_id = o.order_id
    where h.customer_id = ${customerId} and (
        p.status = any(${cancellable}::text[])
          and o.status = any(${[...cancellable, ...cancellableOrders]}::text[])
        or p.status = 'ACFC' and (p.international->>'fundsAtOnce')::boolean)
      and o.kind = any(${[...scheduledKinds, ...standingOrderKinds]}::text[])
      and p.execute_at is not null
    order by p.execute_at, o.order_id`);
}
