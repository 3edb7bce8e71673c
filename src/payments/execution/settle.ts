import { recorded, recording } from "#src/history/change.ts";
import { type Holidays, processingInstant } from "#src/payments/calendar/timing.ts";
import { givingBack, uncounted } from "#src/payments/limits/usage.ts";
import {
  filePaymentsInWork,
  isSingle,
  isWaiting,
  orderMoveOf,
} from "#src/payments/order/order-states.ts";
import { derivedId } from "#src/payments/order/payment-order.ts";
import { nextOccurrence, type Occurrence } from "#src/payments/schedule/schedule.ts";
import { fromScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import type { Queryable } from "#src/storage/database.ts";
import { prepare } from "#src/storage/prepared.ts";
import { sql } from "#src/storage/sql.ts";
import type { Move } from "./steps.ts";

/** The owner of the lease, the bank's time, and how much longer a kept lease lasts. */
type Settlement = { owner: string; now: Temporal.Instant; leaseSeconds: number };

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
  // most batches give nothing back, and need no part of the statement for it
  const givesBack = moves.some(({ after }) => uncounted.includes(after));
  const statement = givesBack ? settlementThatGivesBack : settlement;
  const rows = await on.query<{ paymentId: string }>(
    statement({ ...columnsOf(moves), owner, now, leaseSeconds }),
  );
  return new Set(rows.map(({ paymentId }) => paymentId));
}

type Columns = ReturnType<typeof columnsOf>;

/** The parameters of a settlement: one array per fact, with an item for each move. */
function columnsOf(moves: readonly Move[]) {
  const column = <T>(pick: (move: Move) => T): T[] => moves.map(pick);
  const orders = moves.map(({ work, after }) => orderMoveOf(work.orderFamily, work.status, after));
  const failed = moves.map(failedOf);
  return {
    paymentIds: column(({ work }) => work.instruction.paymentId),
    attempts: column(({ work }) => work.attempt),
    before: column(({ work }) => work.status),
    after: column(({ after }) => after),
    reasonCodes: column(({ reason }) => reason?.code ?? null),
    reasonTexts: column(({ reason }) => reason?.text ?? null),
    dueAt: column(({ dueAt }) => dueAt),
    leases: column(({ lease }) => lease),
    failures: failed.map(({ failures }) => failures),
    callLimits: failed.map(({ callLimit }) => callLimit),
    orderBefore: orders.map((order) => order?.before.join(" ") ?? null),
    orderAfter: orders.map((order) => order?.after ?? null),
    isOrder: column(({ work }) => isSingle(work.orderFamily)),
  };
}

const statementThat = (givesBack: boolean) =>
  prepare(
    (given: Columns & Settlement) => sql`
    with given as (
      select payment_id, attempt, before, after, reason_code, reason_text, due_at, lease,
        failures, call_limit, order_before, order_after, is_order
      from unnest(${given.paymentIds}::text[], ${given.attempts}::integer[],
        ${given.before}::text[], ${given.after}::text[], ${given.reasonCodes}::text[],
        ${given.reasonTexts}::text[], ${given.dueAt}::timestamptz[], ${given.leases}::text[],
        ${given.failures}::integer[], ${given.callLimits}::integer[],
        ${given.orderBefore}::text[], ${given.orderAfter}::text[], ${given.isOrder}::boolean[]
      ) as g(payment_id, attempt, before, after, reason_code, reason_text, due_at, lease,
        failures, call_limit, order_before, order_after, is_order)
    ), moved as (
      update payment p set status = g.after, due_at = g.due_at, failures = g.failures,
        call_limit = g.call_limit,
        in_work_of_file = case when g.after = any(${[...filePaymentsInWork]}::text[])
          then p.in_work_of_file end,
        status_reason_code = g.reason_code, status_reason_text = g.reason_text,
        status_updated_at = case when g.after = g.before then p.status_updated_at
          else ${given.now}::timestamptz end,
        lease_owner = case when g.lease = 'free' then null else p.lease_owner end,
        lease_until = case when g.lease = 'keep'
          then clock_timestamp() + make_interval(secs => ${given.leaseSeconds}::float8) end
      from given g
      where p.payment_id = g.payment_id and p.lease_owner = ${given.owner}
        and p.attempt = g.attempt and p.status = g.before
      returning p.payment_id, p.order_id, g.reason_code, g.reason_text, g.order_before,
        g.order_after, g.is_order
    ), followed as (
      update payment_order o set status = m.order_after, status_updated_at = ${given.now},
        ${recorded(given.now)},
        status_reason = case when m.is_order and m.reason_code is not null
          then json_build_array(json_build_object('code', m.reason_code,
            'text', m.reason_text)) else '[]'::json end
      from moved m
      where o.order_id = m.order_id and o.status = any(string_to_array(m.order_before, ' '))
      returning o.order_id, o.api_version,
        ${givesBack ? sql`o.consent_use, o.consent_id, o.created_at, o.amount_minor, o.status,` : sql``}
        order_history(o.status, o.status_reason::text, o.authorisation_status,
          o.signatories_received) as facts
    ), history as (${recording(sql`
      select 'order', order_id, facts, 'bank', null, api_version, ${given.now}::timestamptz
      from followed`)}
    )${givesBack ? sql`, freed as (${givingBack(freed)})` : sql``}
    select payment_id as "paymentId" from moved`,
  );

const freed = sql`
  select consent_id, created_at, amount_minor from followed
  where consent_use = 'within limits' and status = any(${[...uncounted]}::text[])`;

const settlement = statementThat(false);
const settlementThatGivesBack = statementThat(true);

/** Returns the failures to store; a payment that has moved on or ended has none. */
const failedOf = ({ failed, lease, work }: Move): NonNullable<Move["failed"]> =>
  failed ?? (lease === "keep" ? work : { failures: 0, callLimit: null });

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
