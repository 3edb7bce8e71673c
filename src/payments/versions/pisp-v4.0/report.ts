import { formatInstant } from "#src/lib/date-time.ts";
import type { JsonReportWords, ReportedPayment } from "#src/payments/formats/report-words.ts";

/** The format of reports on JSON files in v4.0. */
export const reportWordsV40: JsonReportWords = {
  file: (file) => ({
    FilePaymentId: file.orderId,
    ConsentId: file.consentId,
    ...(file.fileReference === null ? {} : { FileReference: file.fileReference }),
    CreationDateTime: formatInstant(file.createdAt),
    ReportDateTime: formatInstant(file.reportedAt),
    Status: file.status,
    NumberOfTransactions: String(file.count),
  }),
  payment: (payment) => ({
    PaymentTransactionId: payment.paymentId,
    ...(payment.instructionId === null ? {} : { InstructionIdentification: payment.instructionId }),
    ...(payment.endToEndId === null ? {} : { EndToEndIdentification: payment.endToEndId }),
    InstructedAmount: { Amount: payment.amount, Currency: payment.currency },
    Status: payment.status,
    StatusUpdateDateTime: formatInstant(payment.statusUpdatedAt),
    ...reasonOf(payment),
  }),
};

const reasonOf = ({ reasonCode, reasonText }: ReportedPayment): object =>
  reasonCode === null
    ? {}
    : {
        StatusReason: reasonCode,
        ...(reasonText === null ? {} : { StatusReasonDescription: reasonText.slice(0, 256) }),
      };
