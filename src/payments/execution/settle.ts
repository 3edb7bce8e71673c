import type { PaymentInstruction, PaymentOutcome, Reason } from "#src/bank/port.ts";
import { recorded, recording } from "#src/history/change.ts";
import { assert } from "#src/lib/assert.ts";
import { laterOf } from "#src/lib/date-time.ts";
import { type Holidays, processingInstant } from "#src/payments/calendar/timing.ts";
import { givingBack, uncounted } from "#src/payments/limits/usage.ts";
import {
  filePaymentsInWork,
  isWaiting,
  nextPaymentStatus,
  type OrderFamily,
  orderMoveOf,
  type PaymentEvent,
  type PaymentFamily,
  type PaymentStatus,
  passPaymentStatus,
  storedWith,
} from "#src/payments/order/order-states.ts";
import { derivedId } from "#src/payments/order/payment-order.ts";
import { nextOccurrence, type Occurrence } from "#src/payments/schedule/schedule.ts";
import { fromScheduleRecord, type ScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import { prepare } from "#src/storage/prepared.ts";
import { sql } from "#src/storage/sql.ts";

/** The engine's next step for a payment; a batch is processed in this order. */
export type ExecutionStep = "ask" | "warehouse" | "reserve" | "execute";

/** A payment that the engine has leased. */
export type Work = {
  instruction: PaymentInstruction;
  /** An unchecked label: an engine also finishes orders of kinds that its bank does not offer. */
  kind: KindId;
  orderId: string;
  /** The number of the payment within its order, from 1. */
  sequence: number;
  orderFamily: OrderFamily;
  /** The table that the payment follows. */
  family: PaymentFamily;
  status: PaymentStatus;
  /** The number of the lease, which together with the owner identifies it. */
  attempt: number;
  /** Consecutive calls that failed for this payment alone. */
  failures: number;
  /** The maximum number of payments in its next call; null for no limit. */
  callLimit: number | null;
  /** Since when the payment has been due. */
  dueAt: Temporal.Instant;
  executeAt: Temporal.Instant | null;
  /** The schedule of a standing order's payment, and the payment's date in it. */
  occurrence: { schedule: ScheduleRecord; date: Temporal.PlainDate } | null;
  /** The next step under this lease; null if there is none. */
  step: ExecutionStep | null;
};

/**
 * The outcome of a step. `free` releases the lease. `keep` continues under it. `doubt` ends it, and
 * makes the next engine that leases the payment ask the bank first.
 */
export type Move = {
  work: Work;
  after: PaymentStatus;
  reason: Reason | null;
  /** When the payment is due again; null if it has ended. */
  dueAt: Temporal.Instant | null;
  lease: "free" | "keep" | "doubt";
  /** The next step under the same lease. */
  next: ExecutionStep | null;
  /** The facts of a failed call to store with the payment; absent if none failed. */
  failed?: Pick<Work, "failures" | "callLimit">;
};

const steps: Partial<Record<PaymentStatus, ExecutionStep>> = {
  RCVD: "reserve",
  PDNG: "reserve",
  ACTC: "reserve",
  PATC: "reserve",
  ACCP: "reserve",
  ACFC: "execute",
  ACSP: "ask",
  ACWC: "ask",
  ACSC: "ask",
};

/** The next step of a payment whose last outcome is known. */
export function stepOf(
  status: PaymentStatus,
  executeAt: Temporal.Instant | null,
  now: Temporal.Instant,
  fundsAtOnce: boolean,
): ExecutionStep {
  const step = steps[status];
  assert(step, `a payment in ${status} has a step`);
  return step === "reserve" && isEarly(executeAt, now) && !fundsAtOnce ? "warehouse" : step;
}

/** The call of the port that a payment needs next, when it is due. */
export function callOf(
  status: PaymentStatus,
  isInDoubt: boolean,
): Exclude<ExecutionStep, "warehouse"> {
  const step = isInDoubt ? "ask" : steps[status];
  assert(step && step !== "warehouse", `a payment in ${status} has a next call`);
  return step;
}

const isEarly = (executeAt: Temporal.Instant | null, now: Temporal.Instant): boolean =>
  executeAt !== null && Temporal.Instant.compare(executeAt, now) > 0;

const path: readonly PaymentEvent[] = ["validate", "accept", "reserve", "submit", "debit"];

/**
 * The status after the events that lead to this event, without those that have already happened.
 */
function statusThrough(
  family: PaymentFamily,
  status: PaymentStatus,
  last: PaymentEvent,
): PaymentStatus {
  return path
    .slice(0, path.indexOf(last) + 1)
    .reduce((before, event) => nextPaymentStatus(family, before, event) ?? before, status);
}

/** Whether the funds of a payment are reserved as soon as it is ordered. */
const isFundedAtOnce = ({ instruction }: Pick<Work, "instruction">): boolean =>
  instruction.international?.fundsAtOnce ?? false;

/** Stores a future-dated payment until its date. */
export function warehouse(work: Work): Move {
  const { family, status, executeAt } = work;
  const after =
    nextPaymentStatus(family, status, "warehouse") ?? statusThrough(family, status, "accept");
  return { work, after, reason: null, dueAt: executeAt, lease: "free", next: null };
}

/** An outcome that says where a payment is. */
type KnownOutcome = Exclude<PaymentOutcome, { state: "failed" }>;

/**
 * The outcome of a payment after the bank's response. Source: PISP resource pages, Domestic
 * Payments, State Model.
 */
export function moveBy(work: Work, outcome: KnownOutcome, now: Temporal.Instant): Move {
  const { family, status, executeAt } = work;
  const through = (last: PaymentEvent) => statusThrough(family, status, last);
  const end = (before: PaymentStatus, event: PaymentEvent, reason: Reason | null): Move => {
    const after = passPaymentStatus(family, before, [event]);
    return { work, after, reason, dueAt: null, lease: "free", next: null };
  };
  // it stays as due as it was: a changed time would cost the store an entry in each index
  const stay = { work, reason: null, dueAt: work.dueAt, lease: "keep" } as const;
  switch (outcome.state) {
    case "reserved":
      // its rate was fixed: the funds wait for the day
      if (isEarly(executeAt, now)) {
        const after = through("reserve");
        return { work, after, reason: null, dueAt: executeAt, lease: "free", next: null };
      }
      return { ...stay, after: through("reserve"), next: "execute" };
    case "unknown": {
      const step = stepOf(status, executeAt, now, isFundedAtOnce(work));
      // whatever was thought before, nothing is reserved
      return { ...stay, after: status, next: step === "execute" ? "reserve" : step };
    }
    case "refused":
      return end(through("accept"), "reject", outcome.reason);
    case "returned":
      return end(through("debit"), "reject", outcome.reason);
    case "settled":
      return end(through("debit"), outcome.posted ? "credit" : "creditWithoutPosting", null);
    case "held":
    case "pending": {
      const isHeld = outcome.state === "held";
      const wanted = isHeld ? outcome.until : outcome.askAt;
      // a bank that says "now" must not be asked in a loop
      const soonest = now.add({ milliseconds: 1 });
      const dueAt = laterOf(wanted, soonest);
      const after = through(isHeld ? "reserve" : "debit");
      return { work, after, reason: null, dueAt, lease: "free", next: null };
    }
  }
}

/** Why a payment is put back, and when. */
type PutBack = {
  /** `doubt`: the bank is asked about it before anything else. */
  lease: "free" | "doubt";
  /** How many payments the failed call was for; 0 when none was made. */
  together: number;
  now: Temporal.Instant;
  /** From 0 to below 1: payments that failed together do not all come back at the same moment. */
  random: number;
};

const longestWaitSeconds = 300;
const splitSeconds = 0.5;

/**
 * Puts a payment back for a while. If its call was for several payments, half of them soon share
 * the next call, so the payment on which the core fails is alone after a few calls. A payment that
 * failed alone waits longer each time, from 1 s to 5 minutes.
 */
export function putBack(work: Work, { lease, together, now, random }: PutBack): Move {
  const isAlone = together === 1;
  const failures = isAlone ? work.failures + 1 : work.failures;
  const callLimit = together === 0 ? work.callLimit : Math.max(1, Math.floor(together / 2));
  const seconds = isAlone
    ? Math.min(2 ** Math.min(failures - 1, 9), longestWaitSeconds)
    : splitSeconds;
  const milliseconds = Math.round(seconds * 1000 * (0.75 + random / 2));
  const dueAt = now.add({ milliseconds });
  const failed = { failures, callLimit };
  return { work, after: work.status, reason: null, dueAt, lease, next: null, failed };
}

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
    takesReason: column(({ work }) => storedWith[work.orderFamily].takesReason),
  };
}

const statementThat = (givesBack: boolean) =>
  prepare(
    (given: Columns & Settlement) => sql`
    with given as (
      select payment_id, attempt, before, after, reason_code, reason_text, due_at, lease,
        failures, call_limit, order_before, order_after, takes_reason
      from unnest(${given.paymentIds}::text[], ${given.attempts}::integer[],
        ${given.before}::text[], ${given.after}::text[], ${given.reasonCodes}::text[],
        ${given.reasonTexts}::text[], ${given.dueAt}::timestamptz[], ${given.leases}::text[],
        ${given.failures}::integer[], ${given.callLimits}::integer[],
        ${given.orderBefore}::text[], ${given.orderAfter}::text[], ${given.takesReason}::boolean[]
      ) as g(payment_id, attempt, before, after, reason_code, reason_text, due_at, lease,
        failures, call_limit, order_before, order_after, takes_reason)
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
        g.order_after, g.takes_reason
    ), followed as (
      update payment_order o set status = m.order_after, status_updated_at = ${given.now},
        ${recorded(given.now)},
        status_reason = case when m.takes_reason and m.reason_code is not null
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
    )${givesBack ? sql`, freed as (${givingBack(sql`followed`)})` : sql``}
    select payment_id as "paymentId" from moved`,
  );

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
