import type { PaymentInstruction } from "#src/bank/port.ts";
import type { PaymentStatus } from "#src/payments/order/order-states.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type InstructionRow, instructionColumns, instructionOf } from "./batch.ts";

/** A payment of an order, as the engine will process it. */
export type EnginePayment = {
  paymentId: string;
  status: PaymentStatus;
  /** When the engine processes it next; null if nothing is left to do. */
  dueAt: Temporal.Instant | null;
  executeAt: Temporal.Instant | null;
  instruction: PaymentInstruction;
};

/** Loads the payments of an order, in their order. */
export async function loadEnginePayments(on: Queryable, orderId: string): Promise<EnginePayment[]> {
  const rows = await on.query<InstructionRow & Omit<EnginePayment, "instruction">>(sql`
    select p.payment_id as "paymentId", p.status, p.due_at as "dueAt",
      p.execute_at as "executeAt", ${instructionColumns}
    from payment p where p.order_id = ${orderId} order by p.sequence`);
  return rows.map(({ status, dueAt, executeAt, ...row }) => {
    const { paymentId } = row;
    return { paymentId, status, dueAt, executeAt, instruction: instructionOf(row) };
  });
}

/**
 * Makes the engine process payments at another time; those that wait for their date are made then.
 * Payments that have ended or that an engine has leased stay as they are. Returns the ids of those
 * that have a next step all the same.
 */
export async function retime(
  on: Queryable,
  times: readonly { paymentId: string; at: Temporal.Instant }[],
): Promise<string[]> {
  const ids = times.map(({ paymentId }) => paymentId);
  const retimed = await on.query<{ paymentId: string }>(sql`
    update payment p set due_at = t.at,
      execute_at = case when p.execute_at = p.due_at then t.at else p.execute_at end
    from unnest(${ids}::text[],
      ${times.map(({ at }) => at)}::timestamptz[]) as t(payment_id, at)
    where p.payment_id = t.payment_id and p.due_at is not null and p.lease_owner is null
    returning p.payment_id as "paymentId"`);
  const done = new Set(retimed.map(({ paymentId }) => paymentId));
  const left = await on.query<{ paymentId: string }>(sql`
    select p.payment_id as "paymentId" from payment p
    where p.payment_id = any(${ids.filter((id) => !done.has(id))}::text[])
      and p.due_at is not null`);
  return left.map(({ paymentId }) => paymentId);
}
