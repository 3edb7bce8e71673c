import type { InternationalTerms, PaymentInstruction } from "#src/bank/port.ts";
import { settlementInstant } from "#src/payments/calendar/timing.ts";
import { reason, type SandboxReasonCode } from "#src/sandbox/bank/reasons.ts";
import type { SchemeAnswer } from "#src/sandbox/bank/scheme.ts";

/** A payee at another bank that always produces the same outcome, for tests. */
export type Scenario = {
  name: string;
  /**
   * Sort code and account number of the creditor that triggers the scenario; its IBAN triggers it
   * too.
   */
  creditor: string;
  /** The course of events, for the documentation. */
  description: string;
  answer: SchemeAnswer;
};

const after = (duration: Temporal.DurationLike) => Temporal.Duration.from(duration);
const refused = (code: SandboxReasonCode): SchemeAnswer => ({
  kind: "refuse",
  reason: reason(code),
});
const forbidden = { code: "AG01", text: "TransactionForbidden" };

/**
 * The scenarios by payee. No bank has the sort code 00-99-00. Any other payee outside the sandbox
 * bank is credited after two seconds, when its network delivers, or at the end of a Bacs cycle.
 */
export const scenarios: readonly Scenario[] = [
  {
    name: "accepted immediately",
    creditor: "00990000000001",
    description: "The creditor's bank posts the payment immediately.",
    answer: { kind: "accept" },
  },
  {
    name: "slow settlement",
    creditor: "00990000000002",
    description: "The debtor is debited immediately; the creditor's bank posts 10 minutes later.",
    answer: { kind: "delay", duration: after({ minutes: 10 }) },
  },
  {
    name: "accepted without posting",
    creditor: "00990000000003",
    description:
      "The creditor's bank accepts the payment but never confirms that it has posted it.",
    answer: { kind: "acceptWithoutPosting" },
  },
  {
    name: "pending forever",
    creditor: "00990000000004",
    description: "The debtor is debited and the creditor's bank never answers.",
    answer: { kind: "never" },
  },
  {
    name: "insufficient funds",
    creditor: "00990000000011",
    description:
      "The payment is refused with AM04, as if the funds had been spent in the meantime.",
    answer: refused("AM04"),
  },
  {
    name: "account closed",
    creditor: "00990000000012",
    description: "The payment is refused with AC04 before anything has moved.",
    answer: refused("AC04"),
  },
  {
    name: "account blocked",
    creditor: "00990000000013",
    description: "The payment is refused with AC06 before anything has moved.",
    answer: refused("AC06"),
  },
  {
    name: "no such account",
    creditor: "00990000000014",
    description: "The payment is refused with AC03 before anything has moved.",
    answer: refused("AC03"),
  },
  {
    name: "refused after acceptance",
    creditor: "00990000000021",
    description:
      "The debtor is debited; 10 seconds later the creditor's bank refuses with AC04 and the " +
      "debtor gets the money back.",
    answer: { kind: "delayThenRefuse", duration: after({ seconds: 10 }), reason: reason("AC04") },
  },
  {
    name: "refused a day later",
    creditor: "00990000000022",
    description:
      "The debtor is debited; a day later the creditor's bank refuses with AG01 and the debtor " +
      "gets the money back.",
    answer: { kind: "delayThenRefuse", duration: after({ hours: 24 }), reason: forbidden },
  },
];

const byCreditor = new Map(scenarios.map((scenario) => [scenario.creditor, scenario]));
const ordinary: SchemeAnswer = { kind: "delay", duration: after({ seconds: 2 }) };

/**
 * Returns the last digits of the account numbers, in any country, that trigger a scenario:
 * `99000001`.
 */
export const endingAbroad = ({ creditor }: Pick<Scenario, "creditor">): string =>
  `99${creditor.slice(-6)}`;

const byEnding = new Map(scenarios.map((scenario) => [endingAbroad(scenario), scenario]));

/** The delay of each network for foreign payees that have no scenario. */
export const networkDelays = {
  SEPAInstant: after({ seconds: 2 }),
  SEPA: after({ seconds: 30 }),
  SWIFT: after({ minutes: 5 }),
} as const satisfies Record<InternationalTerms["network"], Temporal.Duration>;

/**
 * The currency whose market is always closed, so that the bank quotes no guaranteed rate for it.
 */
export const closedMarket = "JOD";

/** Whether the bank quotes guaranteed rates between two currencies. */
export const hasFirmRates = (pair: Record<"unitCurrency" | "otherCurrency", string>): boolean =>
  pair.unitCurrency !== closedMarket && pair.otherCurrency !== closedMarket;

/** Returns the other banks' response to a payment, which is the scenario of its payee. */
export function schemeAnswer(
  { creditor, international, localInstrument }: PaymentInstruction,
  at: Temporal.Instant,
): SchemeAnswer {
  // a UK IBAN ends with the sort code and the account number
  const found = byCreditor.get(creditor.identification.slice(-14));
  if (found) return found.answer;
  if (international === null) {
    const cycle = at.until(settlementInstant(localInstrument, at));
    return cycle.blank ? ordinary : { kind: "delay", duration: cycle };
  }
  const duration = networkDelays[international.network];
  return byEnding.get(creditor.identification.slice(-8))?.answer ?? { kind: "delay", duration };
}

/**
 * Returns the statuses in payment-details of a payment with this response, from the time it is sent
 * to the scheme. The last status is final.
 */
export function statusesOf(answer: SchemeAnswer): string[] {
  switch (answer.kind) {
    case "accept":
      return ["ACCC"];
    case "acceptWithoutPosting":
      return ["ACWP"];
    case "delay":
      return ["ACSC", "ACCC"];
    case "delayThenRefuse":
      return ["ACSC", "RJCT"];
    case "refuse":
      return ["RJCT"];
    case "never":
      return ["ACSC"];
  }
}
