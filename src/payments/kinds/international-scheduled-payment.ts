import { usedOnce } from "#src/consents/states.ts";
import * as standard from "#src/standard/pisp-v4.0/international-scheduled-payment.ts";
import { internationalPayment } from "./international-payment.ts";
import { definePaymentKind } from "./payment-kind.ts";

/** A single payment abroad on a day to come. Source: digest 1.2 to 1.6 and 2.17, IS. */
export const internationalScheduledPayment = definePaymentKind({
  ...internationalPayment,
  id: "international-scheduled-payment",
  tag: "International Scheduled Payments",
  orderIdField: "InternationalScheduledPaymentId",
  consentIdPrefix: "isc",
  orderIdPrefix: "is",
  schemas: standard.internationalScheduledPayment,
  consent: usedOnce,
  timing: { when: "onDate", field: "RequestedExecutionDateTime", horizonDays: 366 },
});
