// What a mandate or a regular payment says about itself, in no version's words. Facts are stored as
// JSON, so amounts are text and dates are written `2026-11-21`.
import type { AmountFacts } from "./amount.ts";

/** Facts of a mandate that only Account Information v4.0 shows. Source: E-051. */
export type Mandate = {
  /** The creditor's id of the mandate. */
  identification?: string;
  /** Whether each payment has the same amount, an amount by usage, or any amount. */
  classification?: "Fixed" | "UsageBased" | "Variable";
  /** An ISO 20022 code. */
  categoryPurpose?: string;
  /** Why the mandate was set up, for people to read. */
  reason?: string;
};

/** A direct debit mandate. Only v4.0 shows the members that `Mandate` lacks. Source: E-051. */
export type CollectionMandate = Mandate & {
  firstOn?: string;
  /** The date of the second collection. */
  recurringOn?: string;
  finalOn?: string;
  /**
   * The day of each period on which a collection is made (two characters), or the number of
   * collections per period; never both. Source: E-049.
   */
  when?:
    | { pointInTime: string; countPerPeriod?: never }
    | { countPerPeriod: number; pointInTime?: never };
};

/** What payments are for, besides the creditor's reference. Source: OBRemittanceInformation2. */
export type Remittance = {
  structured?: readonly StructuredRemittance[];
  /** Texts of at most 140 characters. */
  unstructured?: readonly string[];
};

/** The documents that payments settle, and their parties. */
export type StructuredRemittance = {
  documents?: readonly ReferredDocument[];
  /** The sum of the documents. Source: E-053. */
  documentAmount?: AmountFacts;
  /** `type` is an ISO 20022 code. */
  creditorReference?: { type?: string; issuer?: string; reference?: string };
  invoicer?: string;
  invoicee?: string;
  /** For a payment of tax. */
  tax?: string;
  /** At most three texts. */
  additional?: readonly string[];
};

/** A document that payments settle, such as an invoice. */
export type ReferredDocument = {
  /** An ISO 20022 code, such as CINV for a commercial invoice. */
  type?: string;
  issuer?: string;
  number?: string;
  relatedOn?: string;
  lines?: readonly string[];
};
