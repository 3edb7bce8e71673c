import { usedOnce } from "#src/consents/states.ts";
import { definePaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { crossBorderChecks } from "#src/payments/international/checks.ts";
import { scheduleChecks } from "#src/payments/schedule/check-schedule.ts";
import { domesticStandingOrder } from "./domestic-standing-order.ts";
import { internationalPayment } from "./international-payment.ts";

/**
 * Recurring international payments, each at the rate of the day it is made. It has the
 * international members of an international payment and the schedule of a domestic standing order.
 */
export const internationalStandingOrder = definePaymentKind({
  ...domesticStandingOrder,
  id: "international-standing-order",
  tag: "International Standing Orders",
  orderIdField: "InternationalStandingOrderId",
  orderIdParameter: "InternationalStandingOrderPaymentId",
  consentIdPrefix: "isoc",
  orderIdPrefix: "iso",
  consent: usedOnce,
  currencies: internationalPayment.currencies,
  accountSchemes: internationalPayment.accountSchemes,
  checks: [...crossBorderChecks, ...scheduleChecks],
});
