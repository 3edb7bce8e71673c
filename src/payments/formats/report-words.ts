/** The facts about a whole file in a report. */
export type ReportedFile = {
  orderId: string;
  consentId: string;
  messageId: string | null;
  fileReference: string | null;
  createdAt: Temporal.Instant;
  reportedAt: Temporal.Instant;
  /** The status for the TPP: PDNG, INCO or INFA. */
  status: string;
  /** Whether some have failed, or all; interim while the status is PDNG. */
  failed: "none" | "some" | "all";
  count: number;
  /** The sum of the amounts of all currencies, as a decimal. */
  sum: string;
};

/** The facts about one instruction in a report. */
export type ReportedPayment = {
  paymentId: string;
  group: string;
  instructionId: string | null;
  endToEndId: string | null;
  amount: string;
  currency: string;
  /** The status for the TPP. */
  status: string;
  statusUpdatedAt: Temporal.Instant;
  reasonCode: string | null;
  reasonText: string | null;
};

/** The members of a JSON report in the words of one version of the API. */
export type JsonReportWords = {
  /** Members about the file as a whole, without its control sum. */
  file(file: ReportedFile): Record<string, unknown>;
  /** Members about one payment. */
  payment(payment: ReportedPayment): Record<string, unknown>;
};
