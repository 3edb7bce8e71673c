import { type ShownStatuses, vrpStatuses } from "#src/standard/shared/payments/statuses.ts";

type Words = Readonly<Record<string, string>>;

/** The words for the statuses of an order that is one immediate payment. Source: D-401-79. */
const orderWords: Words = {
  RCVD: "Pending",
  PDNG: "Pending",
  ACTC: "Pending",
  ACCP: "Pending",
  ACFC: "Pending",
  ACSP: "AcceptedSettlementInProcess",
  ACWC: "AcceptedSettlementInProcess",
  ACSC: "AcceptedSettlementCompleted",
  ACWP: "AcceptedWithoutPosting",
  BLCK: "AcceptedWithoutPosting",
  ACCC: "AcceptedCreditSettlementCompleted",
  RJCT: "Rejected",
};

/** The words for the same statuses in payment-details. Source: D-401-79. */
const detailWords: Words = {
  ...orderWords,
  RCVD: "Received",
  ACTC: "AcceptedTechnicalValidation",
  ACCP: "AcceptedCustomerProfile",
  ACFC: "AcceptedFundsChecked",
  ACWC: "AcceptedWithChange",
};

/** The statuses of variable recurring payments, and their words. */
export const vrpStatusesV3: ShownStatuses = {
  order: vrpStatuses,
  details: vrpStatuses,
  words: { order: orderWords, details: detailWords },
};

/** `Status` of an order of variable recurring payments. Source: OBDomesticVRPResponse. */
export const vrpOrderWords: readonly string[] = [...new Set(Object.values(orderWords))];

/** `Status` in payment-details. Source: OBDomesticVRPDetails. */
export const everyDetailWord: readonly string[] = [
  "Accepted",
  "AcceptedCancellationRequest",
  "AcceptedCreditSettlementCompleted",
  "AcceptedCustomerProfile",
  "AcceptedFundsChecked",
  "AcceptedSettlementCompleted",
  "AcceptedSettlementInProcess",
  "AcceptedTechnicalValidation",
  "AcceptedWithChange",
  "AcceptedWithoutPosting",
  "Cancelled",
  "NoCancellationProcess",
  "PartiallyAcceptedCancellationRequest",
  "PartiallyAcceptedTechnicalCorrect",
  "PaymentCancelled",
  "Pending",
  "PendingCancellationRequest",
  "Received",
  "Rejected",
  "RejectedCancellationRequest",
];

/** `StatusReason` in payment-details. Source: OBDomesticVRPDetails. */
export const detailReasons: readonly string[] = [
  "Cancelled",
  "PendingFailingSettlement",
  "PendingSettlement",
  "Proprietary",
  "ProprietaryRejection",
  "Suspended",
  "Unmatched",
];

/**
 * The word for the reason of a payment's status; null if there is no reason. v3.1 has no codes for
 * most reasons, so the description says more.
 */
export function detailReason(status: string, reasonCode: string | null): string | null {
  if (reasonCode === null) return null;
  if (reasonCode === "CUST") return "Cancelled";
  if (status === "RJCT") return "ProprietaryRejection";
  return status === "PDNG" ? "PendingSettlement" : "Proprietary";
}

/** `StatusReason` of an order of variable recurring payments. Source: OBVRPStatusReasonCode. */
export const vrpReasons: readonly string[] = ["UK.OBIE.ExemptionNotApplied", "UK.OBIE.OtherReason"];

/** The name of the reason for which an order was rejected. Source: OBVRPStatusReasonCode. */
export const vrpReason = (code: string): string =>
  code === "U041" ? "UK.OBIE.ExemptionNotApplied" : "UK.OBIE.OtherReason";
