import { usedOnce } from "#src/consents/states.ts";
import { crossBorderChecks } from "#src/payments/international/checks.ts";
import { scheduleChecks } from "#src/payments/schedule/check-schedule.ts";
import {
  firstInternationalPayment,
  internationalSchedule,
} from "#src/payments/schedule/standing-order.ts";
import * as standard from "#src/standard/pisp-v4.0/international-standing-order.ts";
import { domesticStandingOrder } from "./domestic-standing-order.ts";
import { internationalPayment } from "./international-payment.ts";
import { definePaymentKind } from "./payment-kind.ts";

/**
 * Payments abroad that come again, each at the rate of its day: what goes abroad is as with an
 * international payment, when it goes as with a domestic standing order. Source: digest 1.3, IO.
 */
export const internationalStandingOrder = definePaymentKind({
  ...domesticStandingOrder,
  id: "international-standing-order",
  tag: "International Standing Orders",
  orderIdField: "InternationalStandingOrderId",
  orderIdParameter: "InternationalStandingOrderPaymentId",
  consentIdPrefix: "isoc",
  orderIdPrefix: "iso",
  schemas: standard.internationalStandingOrder,
  consent: usedOnce,
  amounts: ["InstructedAmount"],
  currencies: internationalPayment.currencies,
  accountSchemes: internationalPayment.accountSchemes,
  checks: [...crossBorderChecks, ...scheduleChecks],
  schedule: internationalSchedule,
  payments: firstInternationalPayment,
});
