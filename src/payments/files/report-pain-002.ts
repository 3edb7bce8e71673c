import { formatInstant } from "#src/lib/date-time.ts";
import type { ReportWriter } from "#src/payments/formats/file-format.ts";
import type { ReportedFile, ReportedPayment } from "#src/payments/formats/report-words.ts";

const namespace = "urn:iso:std:iso:20022:tech:xsd:pain.002.001.10";

const escapes: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => escapes[sign] ?? "");

const element = (name: string, text: string | null): string =>
  text === null || text === "" ? "" : `<${name}>${escaped(text)}</${name}>`;

/**
 * A customer payment status report. Source: ISO 20022, pain.002.001.10; PISP resource pages, File
 * Payment Consents.
 */
export const pain002Report: ReportWriter = {
  begin: (file) => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="${namespace}">
<CstmrPmtStsRpt>
<GrpHdr>${element("MsgId", file.orderId.slice(-35))}${element(
    "CreDtTm",
    formatInstant(file.reportedAt),
  )}</GrpHdr>
<OrgnlGrpInfAndSts>${element("OrgnlMsgId", file.messageId)}${element(
    "OrgnlMsgNmId",
    "pain.001.001.08",
  )}${element("OrgnlNbOfTxs", String(file.count))}${element("OrgnlCtrlSum", file.sum)}${element(
    "GrpSts",
    groupStatus(file),
  )}</OrgnlGrpInfAndSts>
`,
  payment(payment, previous) {
    if (previous?.group === payment.group) return transaction(payment);
    const before = previous === null ? "" : "</OrgnlPmtInfAndSts>\n";
    const opened = `<OrgnlPmtInfAndSts>${element("OrgnlPmtInfId", payment.group)}\n`;
    return before + opened + transaction(payment);
  },
  end: (last) => `${last === null ? "" : "</OrgnlPmtInfAndSts>\n"}</CstmrPmtStsRpt>\n</Document>\n`,
};

// ISO's status of a group. Source: ExternalPaymentGroupStatus1Code
function groupStatus({ status, failed }: ReportedFile): string {
  if (status === "PDNG") return "PDNG";
  if (failed === "all") return "RJCT";
  return failed === "some" ? "PART" : "ACSC";
}

const transaction = (payment: ReportedPayment): string =>
  `<TxInfAndSts>${element("StsId", payment.paymentId)}${element(
    "OrgnlInstrId",
    payment.instructionId,
  )}${element("OrgnlEndToEndId", payment.endToEndId)}${element(
    "TxSts",
    payment.status,
  )}${reason(payment)}${element("AcctSvcrRef", payment.paymentId)}<OrgnlTxRef><Amt><InstdAmt Ccy="${
    payment.currency
  }">${payment.amount}</InstdAmt></Amt></OrgnlTxRef></TxInfAndSts>\n`;

function reason({ reasonCode, reasonText }: ReportedPayment): string {
  if (reasonCode === null) return "";
  const text = element("AddtlInf", reasonText?.slice(0, 105) ?? null);
  return `<StsRsnInf><Rsn>${element("Cd", reasonCode)}</Rsn>${text}</StsRsnInf>`;
}
