import type { Clock } from "#src/lib/clock.ts";
import type { Scheme } from "#src/sandbox/bank/scheme.ts";

/** Makes a clock that starts at the given time and runs on. */
export function clockFrom(now: Temporal.Instant): Clock {
  const started = Temporal.Now.instant();
  return { now: () => now.add(Temporal.Now.instant().since(started)) };
}

const reason = { code: "AC04", text: "ClosedAccountNumber" };

/**
 * A scheme in which the creditor's name decides the response of the other bank. It accepts payments
 * to any other name.
 */
export const schemeByName =
  (duration: Temporal.Duration): Scheme =>
  ({ creditor }) => {
    if (creditor.name === "Delay") return { kind: "delay", duration };
    if (creditor.name === "Return") return { kind: "delayThenRefuse", duration, reason };
    if (creditor.name === "Unposted") return { kind: "acceptWithoutPosting" };
    if (creditor.name === "Refuse") return { kind: "refuse", reason };
    return { kind: "accept" };
  };

/** The final status of a payment to a creditor of each name. */
export const endOf: Record<string, string> = {
  Accept: "ACCC",
  Delay: "ACCC",
  Return: "RJCT",
  Unposted: "ACWP",
  Refuse: "RJCT",
};
