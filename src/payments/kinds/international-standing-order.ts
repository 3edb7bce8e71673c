import { usedOnce } from "#src/consents/states.ts";
import { crossBorderChecks } from "#src/payments/international/checks.ts";
import { scheduleChecks } from "#src/payments/schedule/check-schedule.ts";
import { memberPaths, wireOfV4 } from "#src/payments/wires/pisp-v4.0.ts";
import {
  abroadSample,
  demoParts,
  examplePayment,
  permission,
  scheduleSample,
} from "#src/payments/wires/pisp-v4.0-examples.ts";
import * as standard from "#src/standard/pisp-v4.0/international-standing-order.ts";
import { emitSets } from "#src/standard/pisp-v4.0/payment-statuses.ts";
import { domesticStandingOrder } from "./domestic-standing-order.ts";
import { internationalPayment } from "./international-payment.ts";
import { definePaymentKind } from "./payment-kind.ts";

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
  demo: {
    creditor: demoParts.inGermany,
    advance: "P10D",
  },
  wires: {
    "pisp-v4.0": wireOfV4({
      schemas: standard.internationalStandingOrder,
      paths: memberPaths.internationalStandingOrder,
      statuses: emitSets.standingOrder,
      sample: () => examplePayment({ ...scheduleSample, ...abroadSample }, permission),
      demo: (creditor, now) =>
        examplePayment(
          {
            ...demoParts.monthly(now),
            ...demoParts.euros,
            CreditorAccount: creditor,
            ...demoParts.remittance,
          },
          permission,
        ),
    }),
  },
});
