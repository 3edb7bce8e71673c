import { type ShownStatus, shownOrder } from "#src/payments/formats/format.ts";
import { vrpFormat } from "#src/payments/formats/vrp.ts";
import type { OrderWithConsent } from "#src/payments/order/payment-order.ts";
import { domesticVrpV3 } from "#src/standard/pisp-v3.1/domestic-vrp.ts";
import { vrpReason, vrpStatusesV3 } from "#src/standard/pisp-v3.1/payment-statuses.ts";
import { references } from "#src/standard/pisp-v3.1/remittance-information.ts";
import { pispV31 } from "#src/standard/pisp-v3.1/version.ts";
import { closedJudgement } from "#src/standard/shared/judgement.ts";
import { consentStanding, detailRenderer } from "./render.ts";

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

/** Variable recurring payments in v3.1. */
export const domesticVrpV31 = vrpFormat({
  version: pispV31,
  bodies: domesticVrpV3,
  // a new consent may have any published context
  judgedBy: closedJudgement([]),
  statuses: vrpStatusesV3,
  references,
  consentStanding,
  orderStanding,
  refund: (account) => account,
  renderDetail: detailRenderer(128),
  keyConflict: { status: 409, code: "U029" },
});
