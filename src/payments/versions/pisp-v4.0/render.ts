import type { Consent, StatusReason } from "#src/consents/consent.ts";
import { shownStatus } from "#src/consents/shown-status.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { type ShownStatus, shownOrder } from "#src/payments/formats/format.ts";
import type { PaymentDetail } from "#src/payments/order/load-payment-details.ts";
import type { OrderWithConsent } from "#src/payments/order/payment-order.ts";
import type { ShownReason } from "#src/standard/api-version.ts";
import type { ReasonCode } from "#src/standard/error-codes.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { renderStatusReason } from "#src/standard/shared/v4/status-reason.ts";

/** The id, the times and the status of a consent, as in every response with a consent. */
export const consentStanding = (consent: Consent): object => ({
  ...shownStatus(pispV40.consents, consent),
  StatusReason: consent.statusReason.map(renderStatusReason),
});

/** The ids, the times and the status of an order, as in every response with an order. */
export const orderStanding = (order: OrderWithConsent, shown: ShownStatus): object => ({
  ...shownOrder(order, shown),
  StatusReason: reasonsOf(shown.status, order.statusReason).map(renderStatusReason),
});

/** Renders an entry of payment-details. */
export function renderDetail(payment: PaymentDetail, status: string): object {
  return {
    PaymentTransactionId: payment.paymentId,
    Status: status,
    StatusUpdateDateTime: formatInstant(payment.statusUpdatedAt),
    StatusDetail: {
      ...(payment.localInstrument ? { LocalInstrument: payment.localInstrument } : {}),
      Status: status,
      ...(payment.reasonCode ? { StatusReason: payment.reasonCode } : {}),
      ...(payment.reasonText ? { StatusReasonDescription: payment.reasonText.slice(0, 256) } : {}),
    },
  };
}

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
function reasonsOf(status: string, noted: readonly StatusReason<string>[]): readonly ShownReason[] {
  const own = ofStatus[status];
  return noted.length > 0 || !own ? noted : [own];
}
