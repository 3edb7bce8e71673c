/** A variable recurring payment that always has the same outcome, for tests. */
export type VrpScenario = {
  name: string;
  description: string;
  /** The `MaximumIndividualAmount` of the consent. */
  single: string;
  /** The limit per day of the consent, with the alignment `Calendar`. */
  daily: string;
  /** The payments that are made first, all on one day. */
  before: readonly string[];
  /** What happens after those payments: a new day, or the customer withdraws the consent. */
  meanwhile?: "a new day" | "revocation";
  amount: string;
  /** The final status of the payment, with the reason if it is rejected; or a refusal's code. */
  outcome: { status: "ACCC" } | { status: "RJCT"; reason: string } | { refusal: "U014" | "TKSP" };
};

const limits = { single: "50.00", daily: "60.00" } as const;

/** The scenarios, each for a new consent, and for a payee who receives payments immediately. */
export const vrpScenarios: readonly VrpScenario[] = [
  {
    name: "Within the limits",
    description: "The payments of the day may use up the limit.",
    ...limits,
    before: ["40.00"],
    amount: "20.00",
    outcome: { status: "ACCC" },
  },
  {
    name: "Above the limit for one payment",
    description: "The payment is refused with 400 and does not count towards the limits.",
    ...limits,
    before: [],
    amount: "50.01",
    outcome: { refusal: "U014" },
  },
  {
    name: "Above the limit per day",
    description: "The error's `Path` has the position of the limit in `PeriodicLimits`.",
    ...limits,
    before: ["40.00"],
    amount: "20.01",
    outcome: { refusal: "U014" },
  },
  {
    name: "In the next period",
    description:
      "`PUT /sandbox/v1/clock` with an `advance` of `P1D` starts a new day. The access token has " +
      "then expired and must be refreshed.",
    ...limits,
    before: ["50.00"],
    meanwhile: "a new day",
    amount: "50.00",
    outcome: { status: "ACCC" },
  },
  {
    name: "Above the bank's own limit",
    description: "The limits of the consent allow the payment, but the bank rejects it.",
    single: "300000.00",
    daily: "300000.00",
    before: [],
    amount: "250000.01",
    outcome: { status: "RJCT", reason: "AM14" },
  },
  {
    name: "Not enough money",
    description: "A rejected payment does not count towards the limits.",
    single: "240000.00",
    daily: "240000.00",
    before: [],
    amount: "240000.00",
    outcome: { status: "RJCT", reason: "AM04" },
  },
  {
    name: "Withdrawn consent",
    description:
      "`POST /sandbox/v1/consents/{consentId}/revoke` withdraws the consent. Its token gets " +
      "401. The customer can authorise the consent again.",
    ...limits,
    before: [],
    meanwhile: "revocation",
    amount: "1.00",
    outcome: { refusal: "TKSP" },
  },
];
