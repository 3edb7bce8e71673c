import { NotCalled } from "#src/bank/circuit.ts";
import { unavailableOf } from "#src/lib/unavailable.ts";

/**
 * Whether the core may have asked the customer before a call failed: after a time-out, the message
 * may be on the phone.
 */
export const mayHaveAsked = (error: unknown): boolean =>
  !(unavailableOf(error)?.cause instanceof NotCalled);
