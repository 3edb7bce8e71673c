import type { PaymentInstruction, PaymentOutcome, Reason } from "#src/bank/port.ts";
import { assert } from "#src/lib/assert.ts";
import {
  nextPaymentStatus,
  type OrderFamily,
  type PaymentEvent,
  type PaymentFamily,
  type PaymentStatus,
  passPaymentStatus,
} from "#src/payments/order/order-states.ts";
import type { ScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import type { KindId } from "#src/standard/kind-id.ts";

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
      const dueAt = Temporal.Instant.compare(wanted, soonest) > 0 ? wanted : soonest;
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
