import { formatInstant } from "#src/lib/date-time.ts";
import type { ShownStatuses } from "#src/standard/shared/payments/statuses.ts";

/** The facts about a whole file in a report. */
export type ReportedFile = {
  orderId: string;
  consentId: string;
  messageId: string | null;
  fileReference: string | null;
  createdAt: Temporal.Instant;
  reportedAt: Temporal.Instant;
  /** The status for the TPP, as a code: PDNG, INCO or INFA. */
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
  /** The status for the TPP, as a code. */
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

/**
 * Makes the words of a version's reports, given its words for statuses, if it does not use the
 * codes, and for the reason of a payment's status.
 */
export const reportWords = (
  words: ShownStatuses["words"],
  reasonOf: (payment: ReportedPayment) => string | null,
): JsonReportWords => ({
  file: (file) => ({
    FilePaymentId: file.orderId,
    ConsentId: file.consentId,
    ...(file.fileReference === null ? {} : { FileReference: file.fileReference }),
    CreationDateTime: formatInstant(file.createdAt),
    ReportDateTime: formatInstant(file.reportedAt),
    Status: words?.order[file.status] ?? file.status,
    NumberOfTransactions: String(file.count),
  }),
  payment: (payment) => ({
    PaymentTransactionId: payment.paymentId,
    ...(payment.instructionId === null ? {} : { InstructionIdentification: payment.instructionId }),
    ...(payment.endToEndId === null ? {} : { EndToEndIdentification: payment.endToEndId }),
    InstructedAmount: { Amount: payment.amount, Currency: payment.currency },
    Status: words?.details[payment.status] ?? payment.status,
    StatusUpdateDateTime: formatInstant(payment.statusUpdatedAt),
    ...renderReason(reasonOf(payment), payment.reasonText),
  }),
});

const renderReason = (reason: string | null, text: string | null): object =>
  reason === null
    ? {}
    : {
        StatusReason: reason,
        ...(text === null ? {} : { StatusReasonDescription: text.slice(0, 256) }),
      };
