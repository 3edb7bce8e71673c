import type { InternationalTerms, PaymentInstruction } from "#src/bank/port.ts";
import { settlementInstant } from "#src/payments/calendar/timing.ts";
import { reason, type SandboxReasonCode } from "#src/sandbox/bank/reasons.ts";
import type { SchemeAnswer, SentPayment } from "#src/sandbox/bank/scheme.ts";
import { outcomeUsers } from "#src/sandbox/personas/outcome-users.ts";
import { stableId } from "#src/sandbox/stable-id.ts";

/**
 * An outcome of a payment, whatever its kind, for tests. Its number is its trigger: as the payee
 * `009900000000NN`, as the amount `99.NN` or as the reference `OUTCOME NN`.
 */
export type Scenario = {
  number: string;
  name: string;
  /** The course of events, for the documentation. */
  description: string;
  answer: SchemeAnswer;
  /** What the bank does before it accepts the order; absent if it just accepts it. */
  beforehand?: "steps up" | "refuses" | "waits a day";
};

const after = (duration: Temporal.DurationLike) => Temporal.Duration.from(duration);
const refused = (code: SandboxReasonCode): SchemeAnswer => ({
  kind: "refuse",
  reason: reason(code),
});
const refusal = (number: string, code: SandboxReasonCode, name: string): Scenario => ({
  number,
  name,
  description: `The scheme refuses the payment with ${code} before anything has moved.`,
  answer: refused(code),
});

/**
 * The outcomes. A payment without a trigger is credited after two seconds, when its network
 * delivers, or at the end of a Bacs cycle.
 */
export const scenarios: readonly Scenario[] = [
  {
    number: "01",
    name: "accepted immediately",
    description: "The creditor's bank posts the payment immediately.",
    answer: { kind: "accept" },
  },
  {
    number: "02",
    name: "slow settlement",
    description: "The debtor is debited immediately; the creditor's bank posts 10 minutes later.",
    answer: { kind: "delay", duration: after({ minutes: 10 }) },
  },
  {
    number: "03",
    name: "accepted without posting",
    description:
      "The creditor's bank accepts the payment but never confirms that it has posted it.",
    answer: { kind: "acceptWithoutPosting" },
  },
  {
    number: "04",
    name: "pending forever",
    description: "The debtor is debited and the creditor's bank never answers.",
    answer: { kind: "never" },
  },
  {
    number: "05",
    name: "held for review",
    description: "The bank reserves the funds, reviews the payment for an hour, and makes it.",
    answer: { kind: "hold", duration: after({ hours: 1 }), afterwards: { kind: "accept" } },
  },
  {
    number: "06",
    name: "refused after a review",
    description: "The bank reviews the payment for an hour, and refuses it with RR04.",
    answer: {
      kind: "hold",
      duration: after({ hours: 1 }),
      afterwards: { kind: "refuse", reason: reason("RR04") },
    },
  },
  refusal("11", "AM04", "insufficient funds"),
  refusal("12", "AC04", "payee's account closed"),
  refusal("13", "AC06", "payee's account blocked"),
  refusal("14", "AC03", "no such account"),
  refusal("15", "AC01", "wrong account number"),
  refusal("16", "AG01", "transaction forbidden"),
  refusal("17", "AM02", "amount not allowed"),
  refusal("18", "AM05", "duplicate"),
  refusal("19", "BE01", "payee does not match the account"),
  {
    number: "21",
    name: "refused after acceptance",
    description:
      "The debtor is debited; 10 seconds later the creditor's bank refuses with AC04 and the " +
      "debtor gets the money back.",
    answer: { kind: "delayThenRefuse", duration: after({ seconds: 10 }), reason: reason("AC04") },
  },
  {
    number: "22",
    name: "refused a day later",
    description:
      "The debtor is debited; a day later the creditor's bank refuses with AG01 and the debtor " +
      "gets the money back.",
    answer: { kind: "delayThenRefuse", duration: after({ hours: 24 }), reason: reason("AG01") },
  },
  {
    number: "23",
    name: "returned after settlement",
    description:
      "The payment is settled. A day later the money comes back, as a new transaction: the " +
      "status of the order does not change any more.",
    answer: { kind: "acceptThenReturn", duration: after({ hours: 24 }), reason: reason("AC04") },
  },
  {
    number: "31",
    name: "refused by the bank",
    description: "This bank refuses the payment with AM14 before it reserves the funds.",
    answer: { kind: "refuseByBank", reason: reason("AM14") },
  },
  {
    number: "32",
    name: "account closed after the consent",
    description:
      "This bank refuses the payment with AC04, as if the debtor's account had been closed " +
      "between the consent and the order.",
    answer: { kind: "refuseByBank", reason: reason("AC04") },
  },
  {
    number: "33",
    name: "refused at the order",
    description: "This bank rejects the order with AM14 as soon as it arrives.",
    answer: { kind: "refuseByBank", reason: reason("AM14") },
    beforehand: "refuses",
  },
  {
    number: "34",
    name: "not today",
    description: "The order is pending (PDNG) for a day, and then makes its payment.",
    answer: { kind: "accept" },
    beforehand: "waits a day",
  },
  {
    number: "35",
    name: "a further code",
    description: "After the approval, the customer must enter one more code.",
    answer: { kind: "accept" },
    beforehand: "steps up",
  },
];

/** What triggers a scenario: any one of these. */
type Triggers = {
  /** Sort code and account number. Its IBAN triggers the scenario too. */
  payee: string;
  /** In any currency. */
  amount: string;
  reference: string;
  /** The login of the customer who pays; null if no customer is for this outcome. */
  user: string | null;
};

/** Returns what triggers a scenario. */
export const triggersOf = ({ number }: Pick<Scenario, "number">): Triggers => ({
  payee: `009900000000${number}`,
  amount: `99.${number}`,
  reference: `OUTCOME ${number}`,
  user: outcomeUsers.find(({ outcome }) => outcome === number)?.login ?? null,
});

/**
 * Returns the last digits of the account numbers, in any country, that trigger a scenario:
 * `99000001`.
 */
export const endingAbroad = ({ number }: Pick<Scenario, "number">): string => `990000${number}`;

const by = (key: (scenario: Scenario) => string) =>
  new Map(scenarios.map((scenario) => [key(scenario), scenario]));
const byNumber = by(({ number }) => number);
const byPayee = by((one) => triggersOf(one).payee);
const byReference = by((one) => triggersOf(one).reference);
const byAmount = by(({ number }) => `99${number}`);
const byEnding = by(endingAbroad);
// the id of an account in a household that is named after its only customer
const byAccount = new Map(
  outcomeUsers.flatMap(({ login, outcome }) => {
    const scenario = byNumber.get(outcome ?? "");
    return scenario ? [[stableId("acc", `${login} current`), scenario] as const] : [];
  }),
);

/** The parts of a payment, or of a request for one, that may be triggers. */
type Triggering = Pick<SentPayment, "reference" | "transfer" | "debtorAccountId"> & {
  creditor: Pick<SentPayment["creditor"], "identification">;
  amount: Pick<SentPayment["amount"], "amountMinor"> | null;
  international: object | null;
};

/** Returns the scenario that a tester has asked for, or null if there is no trigger. */
export const provokedScenario = ({
  creditor,
  reference,
  amount,
  transfer,
  international,
  debtorAccountId,
}: Triggering): Scenario | null =>
  // a UK IBAN ends with the sort code and the account number
  byPayee.get(creditor.identification.slice(-14)) ??
  (international && byEnding.get(creditor.identification.slice(-8))) ??
  byReference.get(reference?.trim().toUpperCase() ?? "") ??
  byAmount.get(amount?.amountMinor.toString() ?? "") ??
  byAmount.get(transfer?.amountMinor.toString() ?? "") ??
  byAccount.get(debtorAccountId) ??
  null;

/** Returns the outcome that a tester has asked for, or null for a payment without a trigger. */
export const provokedOutcome = (payment: SentPayment): SchemeAnswer | null =>
  provokedScenario(payment)?.answer ?? null;

const ordinary: SchemeAnswer = { kind: "delay", duration: after({ seconds: 2 }) };

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

/** Returns the other banks' response to a payment: what was asked for, or the usual. */
export const schemeAnswer = (payment: SentPayment, at: Temporal.Instant): SchemeAnswer =>
  provokedOutcome(payment) ?? usualAnswer(payment, at);

function usualAnswer(
  { international, localInstrument }: PaymentInstruction,
  at: Temporal.Instant,
): SchemeAnswer {
  if (international !== null)
    return { kind: "delay", duration: networkDelays[international.network] };
  const cycle = at.until(settlementInstant(localInstrument, at));
  return cycle.blank ? ordinary : { kind: "delay", duration: cycle };
}

/**
 * Returns the statuses in payment-details of a payment with this response, from the time it is sent
 * to the scheme. The last status is final.
 */
export function statusesOf(answer: SchemeAnswer): string[] {
  switch (answer.kind) {
    case "accept":
    case "acceptThenReturn":
      return ["ACCC"];
    case "acceptWithoutPosting":
      return ["ACWP"];
    case "delay":
      return ["ACSC", "ACCC"];
    case "delayThenRefuse":
      return ["ACSC", "RJCT"];
    case "refuse":
    case "refuseByBank":
      return ["RJCT"];
    case "never":
      return ["ACSC"];
    case "hold":
      return ["ACFC", ...statusesOf(answer.afterwards)];
  }
}

/** The reason with which a payment with this response ends; null if it is not refused. */
export const refusalOf = (answer: SchemeAnswer): string | null => {
  if (answer.kind === "hold") return refusalOf(answer.afterwards);
  return statusesOf(answer).at(-1) === "RJCT" && "reason" in answer ? answer.reason.code : null;
};
