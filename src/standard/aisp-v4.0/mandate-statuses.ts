/**
 * The statuses of a direct debit or a standing order. Source: ExternalMandateStatus1Code, E-045.
 */
export const mandateStatuses = ["ACTV", "CANC", "EXPI", "SUSP"] as const;

/** One of the statuses. */
export type MandateStatus = (typeof mandateStatuses)[number];
