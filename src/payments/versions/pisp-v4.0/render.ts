import type { Consent } from "#src/consents/consent.ts";
import { shownStatus } from "#src/consents/shown-status.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { type ShownStatus, shownOrder } from "#src/payments/formats/format.ts";
import type { OrderWithConsent } from "#src/payments/order/load-order.ts";
import type { PaymentDetail } from "#src/payments/order/load-payment-details.ts";
import { reasonsOf } from "#src/payments/order/status-reasons.ts";
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
