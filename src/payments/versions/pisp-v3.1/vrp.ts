import { shownStatus } from "#src/consents/shown-status.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import type { PaymentDetail } from "#src/payments/details/load-payment-details.ts";
import { type ShownStatus, shownOrder } from "#src/payments/formats/format.ts";
import { vrpFormat } from "#src/payments/formats/vrp.ts";
import type { OrderWithConsent } from "#src/payments/order/load-order.ts";
import { domesticVrpV3 } from "#src/standard/pisp-v3.1/domestic-vrp.ts";
import {
  detailReason,
  vrpReason,
  vrpStatusesV3,
} from "#src/standard/pisp-v3.1/payment-statuses.ts";
import { remittanceReferenceV3 } from "#src/standard/pisp-v3.1/remittance-information.ts";
import { pispV31 } from "#src/standard/pisp-v3.1/version.ts";
import { closedJudgement } from "#src/standard/shared/judgement.ts";

/** Renders the standing of an order. Only a rejected order has a reason. */
function orderStanding(order: OrderWithConsent, shown: ShownStatus): object {
  const [reason] = order.status === "RJCT" ? order.statusReason : [];
  return {
    ...shownOrder(order, shown),
    ...(reason
      ? {
          StatusReason: vrpReason(reason.code),
          StatusReasonDescription: reason.text.slice(0, 256),
        }
      : {}),
  };
}

/** Renders an entry of payment-details. */
function renderDetail(payment: PaymentDetail, Status: string): object {
  const reason = detailReason(payment.status, payment.reasonCode);
  return {
    PaymentTransactionId: payment.paymentId,
    Status,
    StatusUpdateDateTime: formatInstant(payment.statusUpdatedAt),
    StatusDetail: {
      ...(payment.localInstrument ? { LocalInstrument: payment.localInstrument } : {}),
      Status,
      ...(reason ? { StatusReason: reason } : {}),
      ...(payment.reasonText ? { StatusReasonDescription: payment.reasonText.slice(0, 128) } : {}),
    },
  };
}

/** Variable recurring payments in v3.1. */
export const domesticVrpV31 = vrpFormat({
  version: pispV31,
  bodies: domesticVrpV3,
  // a new consent may have any published context
  judgedBy: closedJudgement([]),
  statuses: vrpStatusesV3,
  referenceIn: remittanceReferenceV3,
  consentStanding: (consent) => shownStatus(pispV31.consents, consent),
  orderStanding,
  refund: (account) => account,
  renderDetail,
});
