import { singlePaymentKinds } from "#src/payments/order-states.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { Move } from "./steps.ts";

/** Who settles, when by the bank's clock, and how much longer a lease that is kept lasts. */
export type Settlement = { owner: string; now: Temporal.Instant; leaseSeconds: number };

/**
 * Writes what has become of payments, and of their orders where the payment is the whole order: the
 * one statement that writes the status of a payment that the engine works on. A payment that has
 * meanwhile been leased by another or changed its status is left alone; gives the ids of the rest.
 */
export async function settlePayments(
  on: Queryable,
  moves: readonly Move[],
  { owner, now, leaseSeconds }: Settlement,
): Promise<Set<string>> {
  if (moves.length === 0) return new Set();
  const column = <T>(pick: (move: Move) => T): T[] => moves.map(pick);
  const rows = await on.query<{ paymentId: string }>(sql`
    with given as (
      select payment_id, attempt, before, after, reason_code, reason_text, due_at, lease
      from unnest(
        ${column(({ work }) => work.instruction.paymentId)}::text[],
        ${column(({ work }) => work.attempt)}::integer[],
        ${column(({ work }) => work.status)}::text[],
        ${column(({ after }) => after)}::text[],
        ${column(({ reason }) => reason?.code ?? null)}::text[],
        ${column(({ reason }) => reason?.text ?? null)}::text[],
        ${column(({ dueAt }) => dueAt)}::timestamptz[],
        ${column(({ lease }) => lease)}::text[]
      ) as g(payment_id, attempt, before, after, reason_code, reason_text, due_at, lease)
    ), moved as (
      update payment p set status = g.after, due_at = g.due_at,
        status_reason_code = g.reason_code, status_reason_text = g.reason_text,
        status_updated_at = case when g.after = g.before then p.status_updated_at else ${now} end,
        lease_owner = case when g.lease = 'free' then null else p.lease_owner end,
        lease_until = case when g.lease = 'keep'
          then clock_timestamp() + make_interval(secs => ${leaseSeconds}::float8) end
      from given g
      where p.payment_id = g.payment_id and p.lease_owner = ${owner}
        and p.attempt = g.attempt and p.status = g.before
      returning p.payment_id, p.order_id, g.before, g.after, g.reason_code, g.reason_text
    ), followed as (
      update payment_order o set status = m.after, status_updated_at = ${now},
        status_reason = case when m.reason_code is null then '[]'::json
          else json_build_array(json_build_object('StatusReasonCode', m.reason_code,
            'StatusReasonDescription', m.reason_text)) end
      from moved m
      where o.order_id = m.order_id and m.after <> m.before
        and o.kind = any(${singlePaymentKinds}::text[])
    )
    select payment_id as "paymentId" from moved`);
  return new Set(rows.map(({ paymentId }) => paymentId));
}
