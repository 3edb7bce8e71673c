/** The statuses that a kind may show: as `Status` of its orders, and in payment-details. */
export type ShownStatuses = {
  order: readonly string[];
  details: readonly string[];
  /** The version's word for each of these statuses, if it does not use the codes. */
  words?: Readonly<Record<"order" | "details", Readonly<Record<string, string>>>>;
};

const without = (list: readonly string[], ...left: string[]): readonly string[] =>
  list.filter((status) => !left.includes(status));

/** ExternalPaymentTransactionStatus1Code: every status that a published schema knows. */
export const everyStatus: readonly string[] =
  "CANC RCVD ACTC PATC PDNG RJCT INFA INCO ACCP ACFC ACSP ACWC ACSC BLCK ACCC ACWP".split(" ");

/** ExternalPaymentTransactionStatus2Code: of a single payment that can be cancelled. */
export const cancellableStatuses = without(everyStatus, "INFA", "INCO");

/** ExternalPaymentTransactionStatus3Code: of a single payment that cannot. */
export const immediateStatuses = without(cancellableStatuses, "CANC");

/** ExternalPaymentTransactionStatus5Code: of a variable recurring payment. Source: V-140. */
export const vrpStatuses = without(immediateStatuses, "PATC");

/** ExternalPaymentTransactionStatus4Code: of a file. */
export const fileStatuses: readonly string[] = ["PDNG", "INFA", "INCO"];

/** The statuses of a standing order. */
const standingOrderStatuses: readonly string[] = "RCVD CANC ACTC PATC PDNG INFA INCO RJCT".split(
  " ",
);

/**
 * The statuses by how a kind's payments are made, as codes; `later`: on a date that the TPP names.
 */
export const shownStatuses = {
  immediate: { order: immediateStatuses, details: immediateStatuses },
  later: { order: cancellableStatuses, details: cancellableStatuses },
  vrp: { order: vrpStatuses, details: vrpStatuses },
  standingOrder: { order: standingOrderStatuses, details: without(everyStatus, "INFA") },
  file: {
    order: fileStatuses,
    details: "RCVD PDNG ACTC ACCP ACFC ACSP ACWC ACSC ACCC RJCT".split(" "),
  },
} as const satisfies Record<string, ShownStatuses>;
