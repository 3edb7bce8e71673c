import type { PaymentInstruction, Reason } from "#src/bank/port.ts";

/**
 * What the payment scheme makes of a payment to another bank.
 * - `accept`: the creditor's bank posts it at once.
 * - `acceptWithoutPosting`: the creditor's bank takes it and has not posted it.
 * - `delay`: it accepts after that time; `delayThenRefuse`: it refuses after that time, and the
 *   debtor, who was debited, has the money back.
 * - `refuse`: it refuses before anything has moved.
 * - `never`: it never answers.
 */
export type SchemeAnswer =
  | { kind: "accept" }
  | { kind: "acceptWithoutPosting" }
  | { kind: "delay"; duration: Temporal.Duration }
  | { kind: "delayThenRefuse"; duration: Temporal.Duration; reason: Reason }
  | { kind: "refuse"; reason: Reason }
  | { kind: "never" };

/**
 * The other banks: returns their response to a payment that they receive at that instant. A
 * duration has no unit longer than hours.
 */
export type Scheme = (payment: PaymentInstruction, at: Temporal.Instant) => SchemeAnswer;

const shortDelay: SchemeAnswer = {
  kind: "delay",
  duration: Temporal.Duration.from({ seconds: 2 }),
};

/** A scheme that accepts everything after two seconds. */
export const acceptingScheme: Scheme = () => shortDelay;
