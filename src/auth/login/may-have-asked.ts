import { WrongAnswer } from "#src/bank/checked-answer.ts";
import { NotCalled } from "#src/bank/circuit.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";

/**
 * Whether the core may have asked the customer before a call failed: after a time-out, the message
 * may be on the phone.
 */
export const mayHaveAsked = (error: unknown): boolean =>
  !(unavailableOf(error)?.cause instanceof NotCalled);

/** Whether the core's answer to a call was lost. A wrong answer of the core is its own fault. */
export const isLost = (error: unknown): boolean =>
  mayHaveAsked(error) && !(unavailableOf(error)?.cause instanceof WrongAnswer);
