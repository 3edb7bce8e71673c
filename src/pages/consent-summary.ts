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
  /**
   * What the value says that neither the request nor the bank's terms say, in a form that does not
   * depend on words: a day by the bank's calendar (`2026-12-04`), or a price of the core.
   */
  facts?: Readonly<Record<string, string>>;
  /** When the payments are made, in a sentence: `on Friday 4 December 2026`; absent if unsure. */
  paid?: string;
  /** The fingerprint of a file: a page shows its end, and all of it on demand. */
  isFingerprint?: true;
  /** What leaves the account: a page shows it in large type, with its detail. */
  total?: Total;
  /** What each payment of a standing order costs besides its amount. */
  eachCosts?: string;
  /** What the first payment of a standing order takes from the account: `About £10.00`. */
  first?: Pick<Total, "later"> & { takes: string };
};

/** What is known of what leaves the account (payments/international/debit.ts decides it). */
type Total = {
  /** `including £10.00 in charges`; null for none. */
  detail: string | null;
  /** Whether it depends on a rate that nobody knows yet. */
  isEstimate: boolean;
  /** What is still to come, for after the approval; null for nothing. */
  later: string | null;
};

/** The rows of a summary with further ones, which replace those with the same label. */
export const withRows = (
  rows: readonly SummaryRow[],
  more: readonly SummaryRow[],
): SummaryRow[] => [
  ...rows.filter(({ label }) => !more.some((each) => each.label === label)),
  ...more,
];

/** `about £10.00`: an amount of a row, within a sentence. */
export const lowered = (amount: string): string => amount.replace(/^About /, "about ");

/** Who, and what leaves the account: for a page that others follow, which show all of it. */
export const inShort = (summary: ConsentSummary): ConsentSummary =>
  summary.type === "payment"
    ? { ...summary, rows: summary.rows.filter(({ total }) => total), notes: [] }
    : summary;

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
  /** The day before which nothing is paid, because today's cut-off has passed. */
  notBefore?: string;
  /**
   * Set if a payment abroad has no promised rate: then `charge` is what the bank charges, such as
   * `£10.00`, or null for nothing.
   */
  openRate?: { charge: string | null };
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
