/** The set of statuses that a deployment shows its TPPs: the setting `statusVocabulary`. */
export type StatusVocabulary = "4.0.1" | "4.0.0-u4";

/** The statuses that a kind may emit: as `Status` of its orders, and in payment-details. */
export type EmitSets = {
  order: readonly string[];
  details: readonly string[];
  /** The version's word for each of these statuses, if it does not use the codes. */
  words?: Readonly<Record<"order" | "details", Readonly<Record<string, string>>>>;
};

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

/**
 * ExternalPaymentTransactionStatus5Code: of a variable recurring payment, in every vocabulary.
 * Release 4.0.0 lists CANC too, which no such payment can have. Source: V-140.
 */
export const vrpStatuses = without(immediateStatuses, "PATC");

/** ExternalPaymentTransactionStatus4Code: of a file. */
export const fileStatuses = words("PDNG INFA INCO");

const standingOrder = words("RCVD CANC ACTC PATC PDNG INFA INCO RJCT");
const standingOrderDetails = without(everyStatus, "INFA");
const fileDetails = words("RCVD PDNG ACTC ACCP ACFC ACSP ACWC ACSC ACCC RJCT");

// Update 4 has one set for all payment-details, and no RCVD on the international kinds.
const update4 = without(immediateStatuses, "RCVD");

/**
 * The statuses per vocabulary, by how a kind's payments are made; `later`: on a date that the TPP
 * names.
 */
export const emitSets = {
  domestic: {
    "4.0.1": { order: immediateStatuses, details: immediateStatuses },
    "4.0.0-u4": { order: immediateStatuses, details: update4 },
  },
  domesticLater: {
    "4.0.1": { order: cancellableStatuses, details: cancellableStatuses },
    "4.0.0-u4": { order: without(cancellableStatuses, "ACCC"), details: update4 },
  },
  vrp: {
    "4.0.1": { order: vrpStatuses, details: vrpStatuses },
    "4.0.0-u4": { order: vrpStatuses, details: vrpStatuses },
  },
  international: {
    "4.0.1": { order: immediateStatuses, details: immediateStatuses },
    "4.0.0-u4": { order: update4, details: update4 },
  },
  internationalLater: {
    "4.0.1": { order: cancellableStatuses, details: cancellableStatuses },
    "4.0.0-u4": { order: update4, details: update4 },
  },
  standingOrder: {
    "4.0.1": { order: standingOrder, details: standingOrderDetails },
    "4.0.0-u4": { order: standingOrder, details: update4 },
  },
  file: {
    "4.0.1": { order: fileStatuses, details: fileDetails },
    "4.0.0-u4": { order: fileStatuses, details: update4 },
  },
} as const satisfies Record<string, Record<StatusVocabulary, EmitSets>>;
