import { usedOnce } from "#src/consents/states.ts";
import { definePaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { internationalPayment } from "./international-payment.ts";

/** A single international payment on a future date. */
export const internationalScheduledPayment = definePaymentKind({
  ...internationalPayment,
  id: "international-scheduled-payment",
  tag: "International Scheduled Payments",
  orderIdField: "InternationalScheduledPaymentId",
  consentIdPrefix: "isc",
  orderIdPrefix: "is",
  consent: usedOnce,
  family: "scheduled",
  hasCutOff: false,
  timing: { when: "onDate", horizonDays: 366 },
});
