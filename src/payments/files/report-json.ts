import { formatInstant } from "#src/lib/date-time.ts";
import type { ReportWriter } from "./file-format.ts";

/** A report that mirrors a JSON file, with its payments under the same names. */
export const jsonReport: ReportWriter = {
  begin(file) {
    const head = {
      FilePaymentId: file.orderId,
      ConsentId: file.consentId,
      ...(file.fileReference === null ? {} : { FileReference: file.fileReference }),
      CreationDateTime: formatInstant(file.createdAt),
      ReportDateTime: formatInstant(file.reportedAt),
      Status: file.status,
      NumberOfTransactions: String(file.count),
    };
    // a JSON number with all its digits, which a JavaScript number may not have
    return `{"Data":${JSON.stringify(head).slice(0, -1)},"ControlSum":${file.sum}`;
  },
  payment(payment, previous) {
    const item = {
      PaymentTransactionId: payment.paymentId,
      ...(payment.instructionId === null
        ? {}
        : { InstructionIdentification: payment.instructionId }),
      ...(payment.endToEndId === null ? {} : { EndToEndIdentification: payment.endToEndId }),
      InstructedAmount: { Amount: payment.amount, Currency: payment.currency },
      Status: payment.status,
      StatusUpdateDateTime: formatInstant(payment.statusUpdatedAt),
      ...(payment.reasonCode === null
        ? {}
        : {
            StatusReason: payment.reasonCode,
            ...(payment.reasonText === null
              ? {}
              : { StatusReasonDescription: payment.reasonText.slice(0, 256) }),
          }),
    };
    const text = JSON.stringify(item);
    if (previous?.group === payment.group) return `,\n${text}`;
    return `${previous === null ? "" : "]"},${JSON.stringify(payment.group)}:[\n${text}`;
  },
  end: (last) => `${last === null ? "" : "]"}}}\n`,
};
