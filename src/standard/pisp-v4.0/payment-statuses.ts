/** The set of statuses that a deployment shows its TPPs: the setting `statusVocabulary`. */
export type StatusVocabulary = "4.0.1" | "4.0.0-u4";

/** What may be emitted for a kind: as `Status` of its orders, and in payment-details. */
export type EmitSets = { order: readonly string[]; details: readonly string[] };

const words = (list: string): readonly string[] => list.split(" ");
const without = (list: readonly string[], ...left: string[]): readonly string[] =>
  list.filter((status) => !left.includes(status));

/** ExternalPaymentTransactionStatus1Code: every status that a published v4.0.1 schema knows. */
export const everyStatus = words(
  "CANC RCVD ACTC PATC PDNG RJCT INFA INCO ACCP ACFC ACSP ACWC ACSC BLCK ACCC ACWP",
);

/** ExternalPaymentTransactionStatus2Code: of a single payment that can be cancelled. */
export const cancellableStatuses = without(everyStatus, "INFA", "INCO");

/** ExternalPaymentTransactionStatus3Code: of a single payment that cannot. */
export const immediateStatuses = without(cancellableStatuses, "CANC");

/** ExternalPaymentTransactionStatus4Code: of a file. */
export const fileStatuses = words("PDNG INFA INCO");

const standingOrder = words("RCVD CANC ACTC PATC PDNG INFA INCO RJCT");
const standingOrderDetails = without(everyStatus, "INFA");
const fileDetails = words("RCVD PDNG ACTC ACCP ACFC ACSP ACWC ACSC ACCC RJCT");

const single = { order: immediateStatuses, details: immediateStatuses };
const scheduled = { order: cancellableStatuses, details: cancellableStatuses };
const standing = { order: standingOrder, details: standingOrderDetails };

// Update 4 knows one set for all payment-details, and no RCVD on the international kinds.
const update4 = without(immediateStatuses, "RCVD");

/** Emit sets by kind and vocabulary. Source: v4.0.1 digest 2.1; digest 2.4 for the older one. */
export const emitSets: Record<StatusVocabulary, Readonly<Record<string, EmitSets>>> = {
  "4.0.1": {
    "domestic-payment": single,
    "domestic-scheduled-payment": scheduled,
    "domestic-standing-order": standing,
    "international-payment": single,
    "international-scheduled-payment": scheduled,
    "international-standing-order": standing,
    "file-payment": { order: fileStatuses, details: fileDetails },
  },
  "4.0.0-u4": {
    "domestic-payment": { order: immediateStatuses, details: update4 },
    "domestic-scheduled-payment": {
      order: without(cancellableStatuses, "ACCC"),
      details: update4,
    },
    "domestic-standing-order": { order: standingOrder, details: update4 },
    "international-payment": { order: update4, details: update4 },
    "international-scheduled-payment": { order: update4, details: update4 },
    "international-standing-order": { order: standingOrder, details: update4 },
    "file-payment": { order: fileStatuses, details: update4 },
  },
};
