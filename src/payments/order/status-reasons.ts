import type { StatusReason } from "#src/consents/consent.ts";

/** A reason as it is shown; some have no code. */
export type ShownReason = Partial<StatusReason<string>>;

// The default reason of each status. Source: OBExternalStatusReason1Code.
const ofStatus: Readonly<Record<string, Partial<StatusReason>>> = {
  PDNG: {
    StatusReasonCode: "U031",
    StatusReasonDescription: "The payment is pending: no check has started.",
  },
  ACTC: { StatusReasonDescription: "The instruction is valid and authenticated." },
  ACCP: {
    StatusReasonCode: "U032",
    StatusReasonDescription:
      "The customer's checks are complete: every required signatory has approved.",
  },
  ACFC: { StatusReasonDescription: "The funds have been reserved." },
  ACSP: { StatusReasonDescription: "The payment is being made." },
  ACWC: { StatusReasonDescription: "The payment is accepted with a change." },
  ACSC: {
    StatusReasonCode: "U034",
    StatusReasonDescription:
      "The debtor's account has been debited, and the payment has been sent.",
  },
  ACWP: {
    StatusReasonDescription: "The creditor's bank has received the payment but has not posted it.",
  },
  ACCC: { StatusReasonDescription: "The creditor's account has been credited." },
  INCO: {
    StatusReasonDescription:
      "The order is set up: payment-details gives the status of each payment.",
  },
};

/** The reasons of an order's shown status: the stored ones, or the default of the status. */
export function reasonsOf(
  status: string,
  noted: readonly StatusReason<string>[],
): readonly ShownReason[] {
  const own = ofStatus[status];
  return noted.length > 0 || !own ? noted : [own];
}
