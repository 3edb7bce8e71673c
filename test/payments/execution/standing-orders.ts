import { processingInstant } from "#src/payments/calendar/timing.ts";
import { firstOccurrence, type Schedule } from "#src/payments/schedule/schedule.ts";
import { toScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { insertOrders, paymentOf } from "./orders.ts";

/** A schedule of £1 per day from that date on. */
export function daily(firstDate: string, numberOfPayments: number | null = null): Schedule {
  const pound = { amountMinor: 100n, currency: "GBP" };
  return {
    rhythm: { unit: "day", every: 1 },
    firstDate: Temporal.PlainDate.from(firstDate),
    recurringDate: null,
    numberOfPayments,
    finalDate: null,
    amounts: { first: pound, recurring: pound, final: pound },
  };
}

/** Inserts standing orders of one schedule as their creation leaves them. */
export async function insertStandingOrders(
  database: Database,
  orderIds: readonly string[],
  schedule: Schedule,
  createdAt: Temporal.Instant,
): Promise<void> {
  const first = firstOccurrence(schedule);
  if (!first) throw new Error("the schedule has no payment");
  const kind = "domestic-standing-order";
  const executeAt = processingInstant(first.date);
  await insertOrders(
    database,
    orderIds.map((orderId) => ({ orderId, kind, executeAt })),
    createdAt,
  );
  const terms = JSON.stringify({ schedule: toScheduleRecord(schedule) });
  await database.query(sql`
    update payment_order set terms = ${terms}::json
    where order_id = any(${[...orderIds]}::text[])`);
  await database.query(sql`
    update payment set scheduled_on = ${first.date.toString()}::date, is_last = ${first.isLast}
    where payment_id = any(${orderIds.map(paymentOf)}::text[])`);
}
