import { type Bank, BankError, type PaymentOutcome } from "#src/bank/port.ts";
import { assert } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { orderFamily } from "#src/payments/order-states.ts";
import type { Database } from "#src/storage/database.ts";
import { claimDuePayments } from "./claim.ts";
import { completeFiles, isDealtWith } from "./complete-files.ts";
import { nextPayments, planPayments } from "./plan-next.ts";
import { settlePayments } from "./settle.ts";
import { type Move, moveBy, putBack, type Step, type Work, warehouse } from "./steps.ts";

/** Where a batch stands: what tests stop the process at and metrics count. */
export type EngineMoment = "claimed" | "asked" | "reserved" | "executed" | "settled";

/** What a batch is worked with. */
export type BatchOptions = {
  database: Database;
  bank: Bank;
  clock: Clock;
  /** Tells this engine from every other on the database, an earlier life of it included. */
  owner: string;
  log: { error(details: object, text: string): void };
  /** Payments to a batch. */
  batchSize: number;
  /** How long a batch may take before another engine may take it over; 30 s unless given. */
  leaseSeconds?: number;
  onStep?: (moment: EngineMoment, payments: number) => void;
};

/**
 * What claims one batch and takes each payment in it as far as it goes now; it gives how many
 * payments were in it.
 */
export function createBatch(options: BatchOptions): () => Promise<number> {
  const { database, clock, owner, batchSize, onStep = () => undefined } = options;
  const leaseSeconds = options.leaseSeconds ?? 30;
  const take = createSteps(options, settle);

  // files that may be done with this batch
  const touchedFiles = new Set<string>();

  async function settle(moves: Move[]): Promise<void> {
    // what only goes on to its next step has nothing to write
    const written = moves.filter(({ work, after, next }) => next === null || after !== work.status);
    const settled = await write(written);
    for (const move of moves) {
      const lost = written.includes(move) && !settled.has(move.work.instruction.paymentId);
      move.work.status = move.after;
      move.work.step = lost ? null : move.next;
    }
    if (settled.size > 0) onStep("settled", settled.size);
    for (const { work, after } of moves) {
      if (orderFamily(work.kind) === "file" && isDealtWith(after)) touchedFiles.add(work.orderId);
    }
  }

  /** With what becomes of a standing order's payment goes the next one: both or neither. */
  async function write(moves: Move[]): Promise<Set<string>> {
    const now = clock.now();
    const settlement = { owner, now, leaseSeconds };
    const next = nextPayments(moves);
    if (next.length === 0) return settlePayments(database, moves, settlement);
    return database.transaction(async (transaction) => {
      const settled = await settlePayments(transaction, moves, settlement);
      const planned = next.filter(({ afterPaymentId }) => settled.has(afterPaymentId));
      await planPayments(transaction, planned, now);
      return settled;
    });
  }

  return async function batch() {
    const claim = { owner, now: clock.now(), limit: batchSize, leaseSeconds };
    const works = await claimDuePayments(database, claim);
    if (works.length === 0) return 0;
    onStep("claimed", works.length);
    for (const step of ["ask", "warehouse", "reserve", "execute"] as const) {
      const group = works.filter((work) => work.step === step);
      if (group.length > 0) await take(step, group);
    }
    // such as a payment that is debited here and that the bank says it has never heard of
    const left = works.filter((work) => work.step !== null);
    if (left.length > 0) {
      options.log.error({ payments: left.length }, "payments could not go on; they are put back");
      await settle(left.map((work) => putBack(work, "doubt", clock.now())));
    }
    if (touchedFiles.size > 0) {
      await completeFiles(database, [...touchedFiles], clock.now());
      touchedFiles.clear();
    }
    return works.length;
  };
}

type TakeStep = (step: Step, group: Work[]) => Promise<void>;

function createSteps(
  { bank, clock, log, onStep = () => undefined }: BatchOptions,
  settle: (moves: Move[]) => Promise<void>,
): TakeStep {
  const moments = { ask: "asked", reserve: "reserved", execute: "executed" } as const;

  async function call(step: Exclude<Step, "warehouse">, group: Work[]): Promise<PaymentOutcome[]> {
    const instructions = group.map(({ instruction }) => instruction);
    const outcomes =
      step === "ask"
        ? await bank.ask(instructions.map(({ paymentId }) => paymentId))
        : await bank[step](instructions);
    assert(outcomes.length === group.length, "the bank gives one outcome a payment");
    onStep(moments[step], group.length);
    return outcomes;
  }

  /** The bank will not do it, ever: funds that were set aside for it go back. */
  async function refuse(step: Step, [work]: [Work]): Promise<Move> {
    if (step === "execute") await bank.release([work.instruction.paymentId]);
    const reason = { code: "MS03", text: "NotSpecifiedReasonAgentGenerated" };
    return moveBy(work, { state: "refused", reason }, clock.now());
  }

  async function take(step: Step, group: Work[]): Promise<void> {
    if (step === "warehouse") return settle(group.map(warehouse));
    let moves: Move[];
    try {
      const outcomes = await call(step, group);
      const now = clock.now();
      // a count was asserted: there is an outcome for each
      moves = group.map((work, index) => moveBy(work, outcomes[index] as PaymentOutcome, now));
    } catch (error) {
      const outcome = error instanceof BankError ? error.outcome : "unknown";
      log.error({ err: error, step, payments: group.length, outcome }, "a call to the bank failed");
      if (outcome === "refused" && step !== "ask") return takeRefused(step, group);
      const lease = outcome === "retry" && step !== "ask" ? "free" : "doubt";
      moves = group.map((work) => putBack(work, lease, clock.now()));
    }
    await settle(moves);
  }

  /** One bad payment must not take its batch with it: each is tried alone. */
  async function takeRefused(step: Step, group: Work[]): Promise<void> {
    const [work, ...others] = group;
    if (work && others.length === 0) return settle([await refuse(step, [work])]);
    for (const each of group) await take(step, [each]);
  }

  return take;
}
