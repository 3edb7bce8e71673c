import type { PaymentInstruction } from "#src/bank/port.ts";
import type { PaymentStatus } from "#src/payments/order/order-states.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { holdSeconds, type InstructionRow, instructionColumns, instructionOf } from "./batch.ts";

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
 * Keeps engines from payments that have a next step. Returns the ids of those that are held, and of
 * those that an engine has leased: these stay as they are.
 */
export async function holdPayments(
  on: Queryable,
  paymentIds: readonly string[],
  owner: string,
): Promise<{ held: string[]; busy: string[] }> {
  const held = await on.query<{ paymentId: string }>(sql`
    update payment p set lease_owner = ${owner},
      lease_until = clock_timestamp() + make_interval(secs => ${holdSeconds}::float8)
    where p.payment_id = any(${paymentIds}::text[]) and p.due_at is not null
      and p.lease_owner is null
    returning p.payment_id as "paymentId"`);
  const own = held.map(({ paymentId }) => paymentId);
  const busy = await on.query<{ paymentId: string }>(sql`
    select p.payment_id as "paymentId" from payment p
    where p.payment_id = any(${paymentIds.filter((id) => !own.includes(id))}::text[])
      and p.due_at is not null`);
  return { held: own, busy: busy.map(({ paymentId }) => paymentId) };
}

/**
 * Makes the engine process payments at another time; those that wait for their date are made then.
 * They must be held.
 */
export const retime = async (
  on: Queryable,
  times: readonly { paymentId: string; at: Temporal.Instant }[],
  owner: string,
): Promise<void> => {
  await on.query(sql`
    update payment p set due_at = t.at,
      execute_at = case when p.execute_at = p.due_at then t.at else p.execute_at end
    from unnest(${times.map(({ paymentId }) => paymentId)}::text[],
      ${times.map(({ at }) => at)}::timestamptz[]) as t(payment_id, at)
    where p.payment_id = t.payment_id and p.lease_owner = ${owner}`);
};

/** Lets engines work on the payments that were held. */
export const freePayments = async (
  on: Queryable,
  paymentIds: readonly string[],
  owner: string,
): Promise<void> => {
  await on.query(sql`
    update payment set lease_owner = null, lease_until = null
    where payment_id = any(${paymentIds}::text[]) and lease_owner = ${owner}`);
};
