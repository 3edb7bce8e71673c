import {
  fromInternationalRecord,
  type InternationalRecord,
} from "#src/bank/international-record.ts";
import {
  type AccountReference,
  type Bank,
  bankErrorOutcome,
  type PaymentInstruction,
  type PaymentOutcome,
} from "#src/bank/port.ts";
import { assert } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { Holidays } from "#src/payments/calendar/timing.ts";
import {
  type OrderFamily,
  type PaymentStatus,
  paymentFamily,
} from "#src/payments/order/order-states.ts";
import type { ScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Database, Queryable } from "#src/storage/database.ts";
import { isOver } from "#src/storage/lease.ts";
import { sql } from "#src/storage/sql.ts";
import { completeFiles, isDealtWith } from "./complete-files.ts";
import { withContexts } from "./context.ts";
import {
  type ExecutionStep,
  type Move,
  moveBy,
  nextPayments,
  planPayments,
  putBack,
  settlePayments,
  stepOf,
  type Work,
  warehouse,
} from "./settle.ts";
import { storeFailures } from "./stuck-payments.ts";

type LeasedRow = {
  orderId: string;
  sequence: number;
  kind: KindId;
  family: OrderFamily;
  status: PaymentStatus;
  attempt: number;
  failures: number;
  callLimit: number | null;
  dueAt: Temporal.Instant;
  executeAt: Temporal.Instant | null;
  inDoubt: boolean;
  schedule: ScheduleRecord | null;
} & InstructionRow;

/** A payment's instruction as it is stored. */
export type InstructionRow = {
  paymentId: string;
  debtorAccountId: string;
  amountMinor: bigint;
  chargeMinor: bigint;
  currency: string;
  creditor: Partial<AccountReference> & { schemeName: string; identification: string };
  endToEndId: string | null;
  reference: string | null;
  localInstrument: string | null;
  international: InternationalRecord | null;
  scheduledOn: Temporal.PlainDate | null;
};

/**
 * How long payments are held while their time is changed: longer than the work on a payment takes.
 * An engine then asks what became of it.
 */
export const holdSeconds = 30;

/** The owner, number and duration of a lease; `now` is the bank's time. */
export type Claim = {
  owner: string;
  now: Temporal.Instant;
  limit: number;
  leaseSeconds: number;
};

/**
 * Leases the payments that are due, earliest first, and those of a file in its order. The bank's
 * clock decides what is due. The database's clock decides how long a lease lasts, because a
 * process's death is unrelated to a date that a sandbox sets. A lease that is over leaves the
 * outcome of its step in doubt: the bank is asked about such a payment first.
 */
export async function claimDuePayments(on: Queryable, claim: Claim): Promise<Work[]> {
  const longest = Math.max(claim.leaseSeconds, holdSeconds);
  const rows = await on.query<LeasedRow>(sql`
    with due as materialized (
      select payment_id, order_id, lease_owner is not null as in_doubt from payment
      where due_at <= ${claim.now} and ${isOver(sql`lease_until`, longest)}
      order by due_at, sequence limit ${claim.limit}
      for update skip locked
    )
    update payment p set attempt = p.attempt + 1, lease_owner = ${claim.owner},
      lease_until = clock_timestamp() + make_interval(secs => ${claim.leaseSeconds}::float8)
    from due join payment_order o on o.order_id = due.order_id
    where p.payment_id = due.payment_id
    returning p.payment_id as "paymentId", p.order_id as "orderId", p.sequence, o.kind, o.family,
      p.status, p.attempt, p.failures, p.call_limit as "callLimit", p.due_at as "dueAt",
      p.execute_at as "executeAt", due.in_doubt as "inDoubt",
      ${instructionColumns}, o.terms->'schedule' as schedule`);
  rows.sort((a, b) => Temporal.Instant.compare(a.dueAt, b.dueAt) || a.sequence - b.sequence);
  return rows.map((row) => toWork(row, claim.now));
}

/** The columns of a payment `p` from which `instructionOf` makes its instruction. */
export const instructionColumns = sql`p.debtor_account_id as "debtorAccountId",
  p.amount_minor as "amountMinor", p.charge_minor as "chargeMinor", p.currency, p.creditor,
  p.end_to_end_id as "endToEndId", p.reference, p.local_instrument as "localInstrument",
  p.international, p.scheduled_on as "scheduledOn"`;

/** Returns a payment as the bank is told to make it. */
export function instructionOf(row: InstructionRow): PaymentInstruction {
  const { schemeName, identification, name, secondaryIdentification } = row.creditor;
  return {
    paymentId: row.paymentId,
    debtorAccountId: row.debtorAccountId,
    amount: { amountMinor: row.amountMinor, currency: row.currency },
    charge:
      row.chargeMinor === 0n ? null : { amountMinor: row.chargeMinor, currency: row.currency },
    creditor: {
      schemeName,
      identification,
      name: name ?? null,
      secondaryIdentification: secondaryIdentification ?? null,
    },
    endToEndId: row.endToEndId,
    reference: row.reference,
    localInstrument: row.localInstrument,
    international: row.international && fromInternationalRecord(row.international),
    isStandingOrder: row.scheduledOn !== null,
  };
}

function toWork(row: LeasedRow, now: Temporal.Instant): Work {
  return {
    instruction: instructionOf(row),
    kind: row.kind,
    orderId: row.orderId,
    sequence: row.sequence,
    orderFamily: row.family,
    family: paymentFamily(row.family),
    status: row.status,
    attempt: row.attempt,
    failures: row.failures,
    callLimit: row.callLimit,
    dueAt: row.dueAt,
    executeAt: row.executeAt,
    occurrence: row.schedule &&
      row.scheduledOn && { schedule: row.schedule, date: row.scheduledOn },
    step: row.inDoubt
      ? "ask"
      : stepOf(row.status, row.executeAt, now, row.international?.fundsAtOnce ?? false),
  };
}

/** The stages of a batch: tests stop the process at them, and metrics count them. */
export type EngineMoment = "claimed" | "asked" | "reserved" | "executed" | "settled";

/** The dependencies of processing a batch. */
export type BatchOptions = {
  database: Database;
  bank: Bank;
  clock: Clock;
  /** Identifies this engine among all engines of the database, including its own earlier runs. */
  owner: string;
  log: { error(details: object, text: string): void };
  /** Payments per batch. */
  batchSize: number;
  /** How long a batch may take before another engine may take it over; 30 s by default. */
  leaseSeconds?: number;
  onStep?: (moment: EngineMoment, payments: number) => void;
  /** Called for each payment whose new status has been stored. */
  onMoved?: (kind: KindId, status: string) => void;
  /** Whether a call on payments would reach the core now; it always would by default. */
  admits?: () => boolean;
  /**
   * The days, besides weekends, on which standing orders are not paid; England's and Wales's bank
   * holidays by default.
   */
  holidays?: Holidays;
  /** Returns a number from 0 to below 1; Math.random by default. */
  random?: () => number;
};

/**
 * Makes the function that claims one batch and takes each payment as far as possible now. It
 * returns the number of payments in the batch.
 */
export function createBatch(options: BatchOptions): () => Promise<number> {
  const { database, clock, owner, batchSize, onStep = () => undefined, onMoved } = options;
  const { random = Math.random } = options;
  const leaseSeconds = options.leaseSeconds ?? 30;
  const take = createSteps(options, settle);

  async function settle(moves: Move[]): Promise<void> {
    // a payment that continues with its next step has nothing to store
    const written = moves.filter(({ work, after, next }) => next === null || after !== work.status);
    const settled = await write(written);
    for (const move of moves) {
      const lost = written.includes(move) && !settled.has(move.work.instruction.paymentId);
      if (!lost && move.after !== move.work.status) onMoved?.(move.work.kind, move.after);
      move.work.status = move.after;
      move.work.step = lost ? null : move.next;
    }
    if (settled.size > 0) onStep("settled", settled.size);
  }

  /** The outcome of a standing order's payment and the next payment are stored together. */
  async function write(moves: Move[]): Promise<Set<string>> {
    const now = clock.now();
    const settlement = { owner, now, leaseSeconds };
    const next = nextPayments(moves, options.holidays);
    if (next.length === 0) return settlePayments(database, moves, settlement);
    return database.transaction(async (transaction) => {
      const settled = await settlePayments(transaction, moves, settlement);
      const planned = next.filter(({ afterPaymentId }) => settled.has(afterPaymentId));
      await planPayments(transaction, planned, now, options.holidays);
      return settled;
    });
  }

  /** Takes payments that share their calls through their steps. */
  async function work(group: Work[]): Promise<void> {
    for (const step of ["ask", "warehouse", "reserve", "execute"] as const) {
      const ready = group.filter((each) => each.step === step);
      if (ready.length > 0) await take(step, ready);
    }
    // such as a debited payment that the bank does not know
    const left = group.filter(({ step }) => step !== null);
    if (left.length === 0) return;
    options.log.error(named(left), "payments could not proceed and were put back");
    const now = clock.now();
    const back = { lease: "doubt", together: 1, now, random: random() } as const;
    await settle(left.map((each) => putBack(each, back)));
  }

  return async function batch() {
    if (options.admits?.() === false) return 0;
    const claim = { owner, now: clock.now(), limit: batchSize, leaseSeconds };
    const works = await claimDuePayments(database, claim);
    if (works.length === 0) return 0;
    onStep("claimed", works.length);
    const results = await Promise.allSettled(groupByCall(works).map(work));
    const files = works.filter(
      ({ orderFamily, status }) => orderFamily === "file" && isDealtWith(status),
    );
    if (files.length > 0) {
      const orderIds = new Set(files.map(({ orderId }) => orderId));
      await completeFiles(database, [...orderIds], clock.now());
    }
    for (const result of results) if (result.status === "rejected") throw result.reason;
    return works.length;
  };
}

/** Groups payments that may share calls. Payments whose calls have failed share with fewer. */
function groupByCall(works: Work[]): Work[][] {
  const groups: Work[][] = [];
  for (const [limit, group] of Map.groupBy(works, ({ callLimit }) => callLimit)) {
    const size = limit ?? group.length;
    for (let at = 0; at < group.length; at += size) groups.push(group.slice(at, at + size));
  }
  return groups;
}

/** Payments for the log, without amounts and names. */
const named = (works: readonly Work[]): object => ({
  payments: works.map(({ instruction }) => instruction.paymentId),
  orders: [...new Set(works.map(({ orderId }) => orderId))],
});

type TakeStep = (step: ExecutionStep, group: Work[]) => Promise<void>;

function createSteps(options: BatchOptions, settle: (moves: Move[]) => Promise<void>): TakeStep {
  const { bank, clock, log, onStep = () => undefined, random = Math.random } = options;
  const moments = { ask: "asked", reserve: "reserved", execute: "executed" } as const;

  async function call(
    step: Exclude<ExecutionStep, "warehouse">,
    group: Work[],
  ): Promise<PaymentOutcome[]> {
    const plain = group.map(({ instruction }) => instruction);
    const isWanted = step === "reserve" && bank.readsContext === true;
    const instructions = isWanted ? await withContexts(options.database, plain) : plain;
    const outcomes =
      step === "ask"
        ? await bank.ask(instructions.map(({ paymentId }) => paymentId))
        : await bank[step](instructions);
    assert(outcomes.length === group.length, "the bank returns one outcome per payment");
    onStep(moments[step], group.length);
    return outcomes;
  }

  /** The bank has refused for good: reserved funds are released. */
  async function refuse(step: ExecutionStep, work: Work): Promise<Move> {
    try {
      if (step === "execute") await bank.release([work.instruction.paymentId]);
    } catch (error) {
      log.error({ err: error, step: "release", ...named([work]) }, "a call to the bank failed");
      return back(work, "doubt", 1);
    }
    const reason = { code: "MS03", text: "NotSpecifiedReasonAgentGenerated" };
    return moveBy(work, { state: "refused", reason }, clock.now());
  }

  const back = (work: Work, lease: "free" | "doubt", together: number): Move =>
    putBack(work, { lease, together, now: clock.now(), random: random() });

  function moveOf(step: ExecutionStep, work: Work, outcome: PaymentOutcome): Move {
    if (outcome.state !== "failed") return moveBy(work, outcome, clock.now());
    log.error({ step, ...named([work]) }, "the bank could not process a payment");
    return back(work, outcome.inDoubt || step === "ask" ? "doubt" : "free", 1);
  }

  async function take(step: ExecutionStep, group: Work[]): Promise<void> {
    if (step === "warehouse") return settle(group.map(warehouse));
    let moves: Move[];
    let why = "the core reported that it could not process the payment";
    try {
      const outcomes = await call(step, group);
      // the count was checked: there is an outcome for each
      moves = group.map((work, index) => moveOf(step, work, outcomes[index] as PaymentOutcome));
    } catch (error) {
      const outcome = bankErrorOutcome(error) ?? "unknown";
      why = textOf(error);
      const failures = group.length === 1 ? { failures: (group[0]?.failures ?? 0) + 1 } : {};
      log.error(
        { err: error, step, outcome, ...named(group), ...failures },
        "a call to the bank failed",
      );
      if (outcome === "refused" && step !== "ask") return takeRefused(step, group);
      const lease = outcome === "retry" && step !== "ask" ? "free" : "doubt";
      // an unavailable core does not count as a failure of its payments
      const together = options.admits?.() === false ? 0 : group.length;
      moves = group.map((work) => back(work, lease, together));
    }
    await settle(moves);
    // a payment that has failed alone; the others of a batch are tried again
    const alone = moves.filter(({ work, failed }) => (failed?.failures ?? 0) > work.failures);
    const failures = alone.map(({ work }) => ({
      paymentId: work.instruction.paymentId,
      call: step,
      error: why,
    }));
    if (failures.length > 0) await storeFailures(options.database, failures, clock.now());
  }

  /** One failing payment must not affect its batch: each is tried alone. */
  async function takeRefused(step: ExecutionStep, group: Work[]): Promise<void> {
    const [work, ...others] = group;
    if (work && others.length === 0) return settle([await refuse(step, work)]);
    for (const each of group) await take(step, [each]);
  }

  return take;
}
