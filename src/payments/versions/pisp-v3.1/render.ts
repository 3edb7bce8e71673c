import type { Consent } from "#src/consents/consent.ts";
import { shownStatus } from "#src/consents/shown-status.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { type ShownStatus, shownOrder } from "#src/payments/formats/format.ts";
import type { PaymentDetail } from "#src/payments/order/load-payment-details.ts";
import type { OrderWithConsent } from "#src/payments/order/payment-order.ts";
import { detailReason, initiationFailed } from "#src/standard/pisp-v3.1/payment-statuses.ts";
import { pispV31 } from "#src/standard/pisp-v3.1/version.ts";

/** The id, the times and the status of a consent. */
export const consentStanding = (consent: Consent): object => shownStatus(pispV31.consents, consent);

/**
 * Renders the standing of an order for a later day. If it was rejected before that day, it was
 * never set up. Source: F-047.
 */
export function laterStanding(order: OrderWithConsent, shown: ShownStatus): object {
  const failed = order.status === "RJCT" && !hasBegun(order);
  return shownOrder(order, failed ? { ...shown, status: initiationFailed } : shown);
}

/** Whether an order was signed by everyone who must, and its day has come. */
function hasBegun({ terms, statusUpdatedAt, authorisationStatus }: OrderWithConsent): boolean {
  const execution = terms.expected?.execution;
  if (execution === undefined || authorisationStatus === "RJCT") return false;
  return Temporal.Instant.compare(statusUpdatedAt, execution) >= 0;
}

/** Makes the function that renders an entry of payment-details. */
export const detailRenderer =
  (descriptionLength: number) =>
  (payment: PaymentDetail, Status: string): object => {
    const reason = detailReason(payment.status, payment.reasonCode);
    const description = payment.reasonText?.slice(0, descriptionLength);
    return {
      PaymentTransactionId: payment.paymentId,
      Status,
      StatusUpdateDateTime: formatInstant(payment.statusUpdatedAt),
      StatusDetail: {
        ...(payment.localInstrument ? { LocalInstrument: payment.localInstrument } : {}),
        Status,
        ...(reason ? { StatusReason: reason } : {}),
        ...(description ? { StatusReasonDescription: description } : {}),
      },
    };
  };
