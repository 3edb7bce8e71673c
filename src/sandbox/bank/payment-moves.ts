import { isOwnIdentification } from "./account-numbers.ts";
import { bookInternational, bookInternationalReturn } from "./international-entries.ts";
import {
  type Booking,
  bookDelivery,
  bookPayment,
  bookReturn,
  type OwnParty,
} from "./payment-entries.ts";
import {
  type BankPayment,
  type ForExecution,
  type LedgerMove,
  type PayeeTerms,
  reasonOf,
  toInstruction,
  toPriced,
  toSent,
} from "./payment-record.ts";
import { reason, type SandboxReasonCode } from "./reasons.ts";
import type { Provoked, Scheme, SchemeAnswer } from "./scheme.ts";

/** Whether a payment uses Bacs, which delivers at the end of a cycle, even within this bank. */
const isByBacs = (row: BankPayment): boolean => row.local_instrument === "UK.OBIE.BACS";

/** Whether a pending payment is delivered to an account of this bank when it is answered. */
export const isDelivered = (row: BankPayment): boolean =>
  isByBacs(row) || (row.international === null && isOwnIdentification(row.creditor));

/** A reserved payment that the bank reviews until then. */
export type Hold = { paymentId: string; until: Temporal.Instant };

/** Whether the bank has decided to review a payment first. */
export const isHold = (one: LedgerMove | Hold): one is Hold => "until" in one;

/** What the simulated banks answer, and what a tester has asked for. */
export type Answers = { scheme: Scheme; provoked: Provoked };

/** Decides how a reserved payment is executed now. */
export function executionOf(
  row: ForExecution,
  answers: Answers,
  at: Temporal.Instant,
): LedgerMove | Hold {
  const { payment_id: paymentId, answer_at: reviewedAt } = row;
  if (reviewedAt !== null && Temporal.Instant.compare(reviewedAt, at) > 0) {
    return { paymentId, until: reviewedAt };
  }
  // a tester has had it refused
  if (row.answer === "refuse") {
    return { paymentId, state: "refused", reason: reasonOf(row) };
  }
  const fault = faultOf(row);
  if (fault) return { paymentId, state: "refused", reason: reason(fault) };
  const answer = answerTo(row, answers, at);
  if (answer.kind !== "hold") return moveOf(row, answer, at);
  if (reviewedAt === null) return { paymentId, until: at.add(answer.duration) };
  return moveOf(row, answer.afterwards, at);
}

/** Why a payment cannot be made; undefined if it can. */
function faultOf(row: ForExecution): SandboxReasonCode | undefined {
  const { payee, creditor, international, currency } = row;
  if (payee) {
    if (payee.status === "Deleted") return "AC04";
    if (payee.status === "Disabled") return "AC06";
    if (payee.currency !== (row.transfer_currency ?? currency)) return "AM03";
    return payee.accountId === row.debtor_account_id ? "AC03" : undefined;
  }
  if (isOwnIdentification(creditor)) return "AC03";
  // Faster Payments supports only sterling
  return international === null && currency !== "GBP" ? "AM03" : undefined;
}

/**
 * Returns the answer to a payment. A payment to an account of this bank is made at once, unless it
 * is by Bacs or a tester has asked for something else; an exchanged one can only be refused.
 */
function answerTo(row: ForExecution, { scheme, provoked }: Answers, at: Temporal.Instant) {
  const payment = toSent(row);
  if (!row.payee) return scheme(payment, at);
  const asked = provoked(payment) ?? (isByBacs(row) ? scheme(payment, at) : null);
  const isUsual = row.international === null && row.currency === "GBP";
  return asked && (isUsual || asked.kind === "refuse") ? asked : accepted;
}

const accepted: SchemeAnswer = { kind: "accept" };

function moveOf(row: ForExecution, answer: SchemeAnswer, at: Temporal.Instant): LedgerMove {
  const { payment_id: paymentId, payee } = row;
  const settled = { paymentId, state: "settled" } as const;
  // money that may still come back is not with a payee of this bank yet
  const sent = () => bookingOf(row, null, at);
  switch (answer.kind) {
    case "accept":
      if (payee) return { ...settled, booking: bookingOf(row, payee, at) };
      return { ...settled, answer: "accept", booking: sent() };
    case "acceptWithoutPosting":
      return { ...settled, answer: "acceptWithoutPosting", booking: sent() };
    case "acceptThenReturn": {
      const returns = { paymentId, dueAt: at.add(answer.duration), code: answer.reason.code };
      return { ...settled, answer: "accept", booking: sent(), returns };
    }
    case "delay":
      return delayed(row, answer.duration, at);
    case "delayThenRefuse": {
      const answerAt = at.add(answer.duration);
      const pending = { paymentId, state: "pending", answer: "refuse", answerAt } as const;
      return { ...pending, reason: answer.reason, booking: sent() };
    }
    case "never":
      return { paymentId, state: "pending", booking: sent() };
    case "refuse":
    case "refuseByBank":
      return { paymentId, state: "refused", reason: answer.reason };
    case "hold":
      return moveOf(row, answer.afterwards, at);
  }
}

/** Debits the debtor now and credits the creditor after the given time. */
const delayed = (
  row: ForExecution,
  duration: Temporal.Duration,
  at: Temporal.Instant,
): LedgerMove => ({
  paymentId: row.payment_id,
  state: "pending",
  answer: "accept",
  answerAt: at.add(duration),
  booking: bookingOf(row, null, at),
});

function bookingOf(row: ForExecution, payee: OwnParty | null, at: Temporal.Instant): Booking {
  const priced = toPriced(row);
  return priced
    ? bookInternational(priced, row.debtor, payee, at)
    : bookPayment(
        { ...toInstruction(row), isStandingOrder: row.isStandingOrder },
        row.debtor,
        payee,
        at,
      );
}

/** Returns the outcome of a pending payment, given the scheme's response. */
export function answerOf(row: BankPayment | ForExecution, at: Temporal.Instant): LedgerMove {
  const { payment_id: paymentId, answer, answer_at: answerAt } = row;
  if (answer === "accept" && "payee" in row && row.payee) return deliveryOf(row, row.payee, at);
  if (answer !== "refuse") return { paymentId, state: "settled", answer, answerAt };
  const why = reasonOf(row);
  const priced = toPriced(row);
  const booking = priced
    ? bookInternationalReturn(priced, why.code, at)
    : bookReturn(toInstruction(row), why.code, at);
  return { paymentId, state: "returned", answer, answerAt, reason: why, booking };
}

/** Returns the outcome of a Bacs payment within this bank on the last day of its cycle. */
function deliveryOf(
  row: ForExecution,
  payee: OwnParty & PayeeTerms,
  at: Temporal.Instant,
): LedgerMove {
  const { payment_id: paymentId, answer_at: answerAt, debtor } = row;
  const payment = toInstruction(row);
  if (payee.status === "Enabled") {
    const booking = bookDelivery(payment, debtor, payee, at);
    return { paymentId, state: "settled", answer: "accept", answerAt, booking };
  }
  const why = reason(payee.status === "Disabled" ? "AC06" : "AC04");
  const booking = bookReturn(payment, why.code, at);
  return { paymentId, state: "returned", answer: "refuse", answerAt, reason: why, booking };
}
