import type { PaymentInstruction, Reason } from "#src/bank/port.ts";
import type { Money } from "#src/lib/money.ts";

/**
 * The scheme's response to a payment to another bank.
 * - `accept`: the creditor's bank posts the payment immediately.
 * - `acceptWithoutPosting`: the creditor's bank accepts the payment but does not post it.
 * - `delay`: it accepts the payment after that time.
 * - `delayThenRefuse`: it refuses the payment after that time, and the debtor, who was debited, is
 *   refunded.
 * - `refuse`: it refuses the payment before any money moves.
 * - `never`: it never responds.
 * - `acceptThenReturn`: the creditor's bank posts the payment, and sends the money back after that
 *   time as a new payment.
 * - `hold`: this bank reviews the payment for that time before it sends it; then it does as said.
 * - `refuseByBank`: this bank refuses the payment before it reserves the funds.
 */
export type SchemeAnswer =
  | { kind: "accept" }
  | { kind: "acceptWithoutPosting" }
  | { kind: "delay"; duration: Temporal.Duration }
  | { kind: "delayThenRefuse"; duration: Temporal.Duration; reason: Reason }
  | { kind: "refuse"; reason: Reason }
  | { kind: "never" }
  | { kind: "acceptThenReturn"; duration: Temporal.Duration; reason: Reason }
  | { kind: "hold"; duration: Temporal.Duration; afterwards: SentAnswer }
  | { kind: "refuseByBank"; reason: Reason };

/** The answer to a payment that the bank has let through. */
type SentAnswer = { kind: "accept" } | { kind: "refuse"; reason: Reason };

/** A payment, and its value in another currency if it is exchanged. */
export type SentPayment = PaymentInstruction & { transfer?: Money };

/**
 * The other banks: returns their response to a payment that they receive at the given time. A
 * duration has no unit longer than hours.
 */
export type Scheme = (payment: SentPayment, at: Temporal.Instant) => SchemeAnswer;

/** The outcome that a tester has asked for by a trigger in the payment; null if there is none. */
export type Provoked = (payment: SentPayment) => SchemeAnswer | null;

const shortDelay: SchemeAnswer = {
  kind: "delay",
  duration: Temporal.Duration.from({ seconds: 2 }),
};

/** A scheme that accepts everything after two seconds. */
export const acceptingScheme: Scheme = () => shortDelay;
