import { recorded, recording } from "#src/history/change.ts";
import { givingBack, uncounted } from "#src/payments/limits/usage.ts";
import { filePaymentsInWork, isSingle, orderMoveOf } from "#src/payments/order/order-states.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { Move } from "./steps.ts";

/** The owner of the lease, the bank's time, and how much longer a kept lease lasts. */
export type Settlement = { owner: string; now: Temporal.Instant; leaseSeconds: number };

/**
 * Stores the outcomes of payments, and of their orders where they follow. Only this statement
 * writes the status of a payment that the engine processes. A payment that another engine has
 * leased meanwhile, or whose status has changed, is left alone; returns the ids of the rest.
 */
export async function settlePayments(
  on: Queryable,
  moves: readonly Move[],
  { owner, now, leaseSeconds }: Settlement,
): Promise<Set<string>> {
  if (moves.length === 0) return new Set();
  const column = <T>(pick: (move: Move) => T): T[] => moves.map(pick);
  // most batches give nothing back, and need no part of the statement for it
  const givesBack = moves.some(({ after }) => uncounted.includes(after));
  const orders = moves.map(({ work, after }) => orderMoveOf(work.orderFamily, work.status, after));
  const rows = await on.query<{ paymentId: string }>(sql`
    with given as (
      select payment_id, attempt, before, after, reason_code, reason_text, due_at, lease,
        failures, call_limit, order_before, order_after, is_order
      from unnest(
        ${column(({ work }) => work.instruction.paymentId)}::text[],
        ${column(({ work }) => work.attempt)}::integer[],
        ${column(({ work }) => work.status)}::text[],
        ${column(({ after }) => after)}::text[],
        ${column(({ reason }) => reason?.code ?? null)}::text[],
        ${column(({ reason }) => reason?.text ?? null)}::text[],
        ${column(({ dueAt }) => dueAt)}::timestamptz[],
        ${column(({ lease }) => lease)}::text[],
        ${column((move) => failedOf(move).failures)}::integer[],
        ${column((move) => failedOf(move).callLimit)}::integer[],
        ${orders.map((order) => order?.before.join(" ") ?? null)}::text[],
        ${orders.map((order) => order?.after ?? null)}::text[],
        ${column(({ work }) => isSingle(work.orderFamily))}::boolean[]
      ) as g(payment_id, attempt, before, after, reason_code, reason_text, due_at, lease,
        failures, call_limit, order_before, order_after, is_order)
    ), moved as (
      update payment p set status = g.after, due_at = g.due_at, failures = g.failures,
        call_limit = g.call_limit,
        in_work_of_file = case when g.after = any(${[...filePaymentsInWork]}::text[])
          then p.in_work_of_file end,
        status_reason_code = g.reason_code, status_reason_text = g.reason_text,
        status_updated_at = case when g.after = g.before then p.status_updated_at else ${now} end,
        lease_owner = case when g.lease = 'free' then null else p.lease_owner end,
        lease_until = case when g.lease = 'keep'
          then clock_timestamp() + make_interval(secs => ${leaseSeconds}::float8) end
      from given g
      where p.payment_id = g.payment_id and p.lease_owner = ${owner}
        and p.attempt = g.attempt and p.status = g.before
      returning p.payment_id, p.order_id, g.reason_code, g.reason_text, g.order_before,
        g.order_after, g.is_order
    ), followed as (
      update payment_order o set status = m.order_after, status_updated_at = ${now},
        ${recorded(now)},
        status_reason = case when m.is_order and m.reason_code is not null
          then json_build_array(json_build_object('StatusReasonCode', m.reason_code,
            'StatusReasonDescription', m.reason_text)) else '[]'::json end
      from moved m
      where o.order_id = m.order_id and o.status = any(string_to_array(m.order_before, ' '))
      returning o.order_id, o.api_version,
        ${givesBack ? sql`o.consent_use, o.consent_id, o.created_at, o.amount_minor, o.status,` : sql``}
        order_history(o.status, o.status_reason, o.authorisation_status, o.signatories_received)
          as facts
    ), history as (${recording(sql`
      select 'order', order_id, facts, 'bank', null, api_version, ${now}::timestamptz
      from followed`)}
    )${givesBack ? sql`, freed as (${givingBack(freed)})` : sql``}
    select payment_id as "paymentId" from moved`);
  return new Set(rows.map(({ paymentId }) => paymentId));
}

const freed = sql`
  select consent_id, created_at, amount_minor from followed
  where consent_use = 'within limits' and status = any(${[...uncounted]}::text[])`;

/** Returns the failures to store; a payment that has moved on or ended has none. */
const failedOf = ({ failed, lease, work }: Move): NonNullable<Move["failed"]> =>
  failed ?? (lease === "keep" ? work : { failures: 0, callLimit: null });
