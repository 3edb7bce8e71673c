/** The consent on the journey's pages, as plain texts in the customer's words. */
export type ConsentSummary = PaymentSummary | AccessSummary | FundsSummary;

/** The word for an order with more than one payment. */
export type PaymentNoun = "standing order" | "file of payments";

/** The word for a consent that is not for a single payment. */
export type ConsentNoun = PaymentNoun | "payment permission";

/** A row of the facts to be confirmed. */
export type SummaryRow = {
  label: string;
  value: string;
  /** Whether it is about the parties (the default), the costs or the time: pages group the rows. */
  about?: "who" | "cost" | "when";
  /** Whether the code page shows it too, together with the amount and the payee. */
  confirmed?: boolean;
  /** The fingerprint of a file: a page shows its end, and all of it on demand. */
  isFingerprint?: true;
  /**
   * What leaves the account: a page shows it in large type, with its detail. An estimate depends
   * on a rate that is not fixed.
   */
  total?: { detail: string | null; isEstimate?: boolean };
  /** What each payment of a standing order costs besides its amount. */
  eachCosts?: string;
};

/** The rows of a summary with further ones, which replace those with the same label. */
export const withRows = (
  rows: readonly SummaryRow[],
  more: readonly SummaryRow[],
): SummaryRow[] => [
  ...rows.filter(({ label }) => !more.some((each) => each.label === label)),
  ...more,
];

/** An exchange at a rate that nobody knows yet, from the account's currency. */
type OpenRate = {
  /** The currencies of the amount, and of what the payee's bank gets: `EUR`. */
  ordered: string;
  transfer: string;
  /** `£10.00`: what the bank charges besides; null for nothing. */
  charge: string | null;
};

/** A summary on a page that others follow, which show all of it. */
export const inShort = (summary: ConsentSummary): ConsentSummary =>
  summary.type === "payment" ? { ...summary, rows: [], notes: [] } : summary;

/** A payment in its customer's words. */
export type PaymentSummary<Noun extends ConsentNoun = ConsentNoun> = {
  type: "payment";
  noun?: Noun;
  /** `£10.00`; for a standing order the rule, such as `£12.00 every Tuesday`. */
  amount: string;
  payeeName: string;
  /** Whether each payment names its own payee; `payeeName` then says so. */
  isAnyPayee?: true;
  /** `20-20-10 10981789`, or the IBAN in groups of four; empty for a file. */
  payeeAccount: string;
  /** More rows in their order: reference, date, charges. */
  rows: SummaryRow[];
  /** Notes for the customer before confirming. */
  notes: string[];
  /** What an international payment is exchanged at the rate of its time; absent if it is not. */
  openRate?: OpenRate;
};

/** An order in its customer's words. */
export type OrderSummary = PaymentSummary<PaymentNoun>;

/** Access to accounts in its customer's words. */
export type AccessSummary = {
  type: "access";
  /** In the wording that the customer experience guidelines prescribe. */
  clusters: { title: string; lines: { text: string; detail: string }[] }[];
  /** `until 3 March 2027`, or `until you cancel`. */
  until: string;
  /** `On 3 March 2027`, or `When you cancel it`. */
  ends: string;
  /** Which transactions: `from 1 May 2025`; null for all. */
  transactions: string | null;
};

/** Confirmations of funds in the customer's words. */
export type FundsSummary = {
  type: "funds";
  /** The name of the account as the TPP gave it; null if it gave none. */
  accountName: string | null;
  /** `20-20-10 10981789`: the account as the TPP named it. */
  accountNumber: string;
  /** `until 3 March 2027`, or `until you cancel`. */
  until: string;
  /** `On 3 March 2027`, or `When you cancel it`. */
  ends: string;
};
