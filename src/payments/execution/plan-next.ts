import { processingInstant } from "#src/payments/calendar/timing.ts";
import type { Holidays } from "#src/payments/calendar/working-days.ts";
import { derivedId } from "#src/payments/order/derived-id.ts";
import { isWaiting } from "#src/payments/order/order-states.ts";
import { nextOccurrence, type Occurrence } from "#src/payments/schedule/schedule.ts";
import { fromScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { Move } from "./steps.ts";

/** A payment of a standing order to be planned, and the payment before it. */
type NextPayment = { afterPaymentId: string; paymentId: string; occurrence: Occurrence };

/**
 * Returns the payments that follow the payments that have just become due, so that each order has
 * one planned payment until its schedule ends.
 */
export function nextPayments(moves: readonly Move[], holidays?: Holidays): NextPayment[] {
  return moves.flatMap(({ work, after }) => {
    const { occurrence: current, instruction, sequence, status } = work;
    if (current === null || !isWaiting(status) || isWaiting(after)) return [];
    const schedule = fromScheduleRecord(current.schedule);
    const occurrence = nextOccurrence(schedule, { sequence, date: current.date }, holidays);
    if (occurrence === null) return [];
    const { paymentId: afterPaymentId } = instruction;
    const paymentId = derivedId("pay", { of: "payment", paymentId: afterPaymentId });
    return [{ afterPaymentId, paymentId, occurrence }];
  });
}

/**
 * Plans payments. Each is like the previous one except for its date and amount. Orders that were
 * cancelled meanwhile are left out. A concurrent cancellation waits.
 */
export async function planPayments(
  on: Queryable,
  planned: readonly NextPayment[],
  now: Temporal.Instant,
  holidays?: Holidays,
): Promise<void> {
  const records = planned.map(({ afterPaymentId, paymentId, occurrence }) => ({
    after_payment_id: afterPaymentId,
    payment_id: paymentId,
    sequence: occurrence.sequence,
    amount_minor: occurrence.amount.amountMinor.toString(),
    execute_at: processingInstant(occurrence.date, holidays).toString(),
    scheduled_on: occurrence.date.toString(),
    is_last: occurrence.isLast,
  }));
  await on.query(sql`
    with given as (
      select after_payment_id, payment_id, sequence, amount_minor, execute_at, scheduled_on, is_last
      from json_to_recordset(${JSON.stringify(records)}::json) as g(after_payment_id text,
        payment_id text, sequence integer, amount_minor bigint, execute_at timestamptz,
        scheduled_on date, is_last boolean)
    ), live as (
      select o.order_id from payment_order o
      where o.status <> 'CANC' and o.order_id in (
        select p.order_id from given g join payment p on p.payment_id = g.after_payment_id)
      order by o.order_id for share
    )
    insert into payment (payment_id, order_id, sequence, status, created_at, status_updated_at,
      debtor_account_id, amount_minor, charge_minor, currency, creditor, end_to_end_id, reference,
      local_instrument, international, execute_at, due_at, scheduled_on, is_last)
    select g.payment_id, p.order_id, g.sequence, 'PDNG', ${now}::timestamptz, ${now}::timestamptz,
      p.debtor_account_id, g.amount_minor, p.charge_minor, p.currency, p.creditor, p.end_to_end_id,
      p.reference, p.local_instrument, p.international, g.execute_at, g.execute_at,
      g.scheduled_on, g.is_last
    from given g join payment p on p.payment_id = g.after_payment_id
    join live l on l.order_id = p.order_id
    on conflict (order_id, sequence) do nothing`);
}
