// What a case expects, and how it says that something else came.
import type { PaymentOutcome } from "#src/bank/port.ts";
import { toJson } from "#src/connector/json-values.ts";

/** The core has not done what the case expects. */
export class CaseFailure extends Error {
  readonly expected: string;
  readonly came: string;

  constructor(expected: string, came: string) {
    super(`expected ${expected}, but ${came}`);
    this.expected = expected;
    this.came = came;
  }
}

/** The case cannot be asked of this core, for the reason in the message. */
export class NotAsked extends Error {}

/** A value of the port as a reader sees it. */
export const shown = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(toJson(value)) ?? "nothing");

/** Fails the case unless something is so. */
export function expectThat(isSo: boolean, expected: string, came: unknown): asserts isSo {
  if (!isSo) throw new CaseFailure(expected, shown(came));
}

/** Fails the case unless a value is the expected one. */
export function expectSame(came: unknown, expected: unknown, what: string): void {
  const [left, right] = [shown(came), shown(expected)];
  if (left !== right) throw new CaseFailure(`${what}: ${right}`, left);
}

/** Fails unless the debtor of a payment is debited. A payment under review is not asked about. */
export function expectPaid(outcome: PaymentOutcome): PaymentOutcome {
  if (outcome.state === "held") throw new NotAsked("the core reviews the payment (held)");
  const isPaid = outcome.state === "settled" || outcome.state === "pending";
  expectThat(isPaid, "the payment to be settled or pending", outcome);
  return outcome;
}
