import type { Clock } from "#src/lib/clock.ts";
import type { Scheme } from "#src/sandbox/bank/scheme.ts";

/** A clock that shows that time now and runs on from there. */
export function clockFrom(now: Temporal.Instant): Clock {
  const started = Temporal.Now.instant();
  return { now: () => now.add(Temporal.Now.instant().since(started)) };
}

const reason = { code: "AC04", text: "ClosedAccountNumber" };

/** A scheme in which the other banks do what the creditor's name says; the rest is accepted. */
export const schemeByName =
  (duration: Temporal.Duration): Scheme =>
  ({ creditor }) => {
    if (creditor.name === "Delay") return { kind: "delay", duration };
    if (creditor.name === "Return") return { kind: "delayThenRefuse", duration, reason };
    if (creditor.name === "Unposted") return { kind: "acceptWithoutPosting" };
    if (creditor.name === "Refuse") return { kind: "refuse", reason };
    return { kind: "accept" };
  };

/** What becomes of a payment to a creditor of that name. */
export const endOf: Record<string, string> = {
  Accept: "ACCC",
  Delay: "ACCC",
  Return: "RJCT",
  Unposted: "ACWP",
  Refuse: "RJCT",
};
