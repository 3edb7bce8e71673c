import type { StatusReason } from "#src/consents/consent.ts";

/** A reason as it is shown: a code where there is one. */
export type ShownReason = Partial<StatusReason>;

// What a status says of itself. Source: code set OBExternalStatusReason1Code.
const ofStatus: Readonly<Record<string, ShownReason>> = {
  PDNG: {
    StatusReasonCode: "U031",
    StatusReasonDescription: "The payment waits for its time: its checks are yet to start.",
  },
  ACTC: { StatusReasonDescription: "The instruction is right and authenticated." },
  ACCP: {
    StatusReasonCode: "U032",
    StatusReasonDescription: "The customer has been checked: everybody who must sign has signed.",
  },
  ACFC: { StatusReasonDescription: "The funds are set aside." },
  ACSP: { StatusReasonDescription: "The payment is being made." },
  ACWC: { StatusReasonDescription: "The payment is accepted with a change." },
  ACSC: {
    StatusReasonCode: "U034",
    StatusReasonDescription: "The debtor's account is debited, and the payment is on its way.",
  },
  ACWP: { StatusReasonDescription: "The creditor's bank has the payment and has not posted it." },
  ACCC: { StatusReasonDescription: "The creditor's account is credited." },
  INCO: { StatusReasonDescription: "All is set up: payment-details tells of each payment." },
};

/** Why an order is in the status that it is shown in: what was noted, or what the status means. */
export function reasonsOf(status: string, noted: readonly StatusReason[]): readonly ShownReason[] {
  const own = ofStatus[status];
  return noted.length > 0 || !own ? noted : [own];
}
