import type { StatusReason } from "#src/consents/consent.ts";
import type { ShownReason } from "#src/standard/api-version.ts";
import type { ReasonCode } from "#src/standard/shared/error-codes.ts";

// The default reason of each status. Source: OBExternalStatusReason1Code.
const ofStatus: Readonly<Record<string, ShownReason & { code?: ReasonCode }>> = {
  PDNG: {
    code: "U031",
    text: "The payment is pending: no check has started.",
  },
  ACTC: { text: "The instruction is valid and authenticated." },
  ACCP: {
    code: "U032",
    text: "The customer's checks are complete: every required signatory has approved.",
  },
  ACFC: { text: "The funds have been reserved." },
  ACSP: { text: "The payment is being made." },
  ACWC: { text: "The payment is accepted with a change." },
  ACSC: {
    code: "U034",
    text: "The debtor's account has been debited, and the payment has been sent.",
  },
  ACWP: {
    text: "The creditor's bank has received the payment but has not posted it.",
  },
  ACCC: { text: "The creditor's account has been credited." },
  INCO: {
    text: "The order is set up: payment-details gives the status of each payment.",
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
