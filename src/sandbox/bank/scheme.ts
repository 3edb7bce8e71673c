import type { PaymentInstruction, Reason } from "#src/bank/port.ts";

/**
 * The scheme's response to a payment to another bank.
 * - `accept`: the creditor's bank posts the payment immediately.
 * - `acceptWithoutPosting`: the creditor's bank accepts the payment but does not post it.
 * - `delay`: it accepts the payment after that time.
 * - `delayThenRefuse`: it refuses the payment after that time, and the debtor, who was debited, is
 *   refunded.
 * - `refuse`: it refuses the payment before any money moves.
 * - `never`: it never responds.
 */
export type SchemeAnswer =
  | { kind: "accept" }
  | { kind: "acceptWithoutPosting" }
  | { kind: "delay"; duration: Temporal.Duration }
  | { kind: "delayThenRefuse"; duration: Temporal.Duration; reason: Reason }
  | { kind: "refuse"; reason: Reason }
  | { kind: "never" };

/**
 * The other banks: returns their response to a payment that they receive at the given time. A
 * duration has no unit longer than hours.
 */
export type Scheme = (payment: PaymentInstruction, at: Temporal.Instant) => SchemeAnswer;

const shortDelay: SchemeAnswer = {
  kind: "delay",
  duration: Temporal.Duration.from({ seconds: 2 }),
};

/** A scheme that accepts everything after two seconds. */
export const acceptingScheme: Scheme = () => shortDelay;
