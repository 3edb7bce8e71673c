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

/** The words for the same statuses in payment-details. Source: D-401-79, F-053. */
const detailWords: Words = {
  ...orderWords,
  RCVD: "Received",
  ACTC: "AcceptedTechnicalValidation",
  PATC: "PartiallyAcceptedTechnicalCorrect",
  ACCP: "AcceptedCustomerProfile",
  ACFC: "AcceptedFundsChecked",
  ACWC: "AcceptedWithChange",
  CANC: "Cancelled",
  INCO: "AcceptedSettlementCompleted",
  INFA: "Rejected",
};

const pending = "InitiationPending";
const completed = "InitiationCompleted";

/** Status of an order that was rejected before it was set up. */
export const initiationFailed = "InitiationFailed";

/**
 * The words for the statuses of an order that is set up before it pays. It stays completed whatever
 * becomes of its payments. Source: F-045…F-049.
 */
const laterWords: Words = {
  RCVD: pending,
  PATC: pending,
  ...Object.fromEntries(
    "PDNG ACTC ACCP ACFC ACSP ACWC ACSC ACWP BLCK ACCC RJCT INCO INFA"
      .split(" ")
      .map((status) => [status, completed]),
  ),
  CANC: "Cancelled",
};

const shown = (order: Words): ShownStatuses => ({
  order: Object.keys(order),
  details: Object.keys(detailWords),
  words: { order, details: detailWords },
});

/** The statuses of the other kinds, and their words, by how their payments are made. */
export const statusesV3 = {
  immediate: shown({ ...orderWords, PATC: "Pending" }),
  later: shown(laterWords),
  // a standing order is rejected only while it is being set up
  standingOrder: shown({ ...laterWords, RJCT: initiationFailed }),
  // Source: F-050
  file: shown({ PDNG: pending, INCO: completed, INFA: initiationFailed }),
};

/** `Status` of each order: its words, each once. */
export const wordsOf = ({ words }: ShownStatuses): readonly string[] => [
  ...new Set(Object.values(words?.order ?? {})),
];

/** `Status` of an order that is set up before it pays. */
export const laterOrderWords: readonly string[] = [
  "Cancelled",
  completed,
  initiationFailed,
  pending,
];

/** The words for the statuses of a multiple authorisation. Source: F-051. */
export const multiAuthorisationWords = {
  AUTH: "Authorised",
  AWAF: "AwaitingFurtherAuthorisation",
  RJCT: "Rejected",
} as const;

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
