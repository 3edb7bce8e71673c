import { usedOnce } from "#src/consents/states.ts";
import { domesticInstruments } from "#src/payments/calendar/domestic-instruments.ts";
import { checkUkAccounts } from "#src/payments/request/checks.ts";
import { single } from "#src/payments/shapes/single/single.ts";
import { memberPaths, wireOfV4 } from "#src/payments/wires/pisp-v4.0.ts";
import {
  demoParts,
  domesticSample,
  examplePayment,
  laterSample,
  permission,
} from "#src/payments/wires/pisp-v4.0-examples.ts";
import * as standard from "#src/standard/pisp-v4.0/domestic-scheduled-payment.ts";
import { emitSets } from "#src/standard/pisp-v4.0/payment-statuses.ts";
import { definePaymentKind } from "./payment-kind.ts";

/** A single payment in sterling on a future date. */
export const domesticScheduledPayment = definePaymentKind({
  id: "domestic-scheduled-payment",
  tag: "Domestic Scheduled Payments",
  orderIdField: "DomesticScheduledPaymentId",
  consentIdPrefix: "dsc",
  orderIdPrefix: "ds",
  consent: usedOnce,
  shape: single,
  family: "scheduled",
  timing: { when: "onDate", horizonDays: 366 },
  hasCutOff: false,
  givesExpectedDates: true,
  fundsConfirmation: null,
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: domesticInstruments,
  checks: [checkUkAccounts],
  demo: {
    // the date is three days ahead, and a weekend with bank holidays may add five
    advance: "P8D",
  },
  wires: {
    "pisp-v4.0": wireOfV4({
      schemas: standard.domesticScheduledPayment,
      paths: memberPaths.domestic,
      statuses: emitSets.domesticLater,
      sample: (day) => examplePayment({ ...domesticSample, ...laterSample(day) }, permission),
      demo: (creditor, now) =>
        examplePayment(
          {
            ...demoParts.identified(now),
            ...demoParts.later(now),
            ...demoParts.amount,
            CreditorAccount: creditor,
            ...demoParts.remittance,
          },
          permission,
        ),
    }),
  },
});
