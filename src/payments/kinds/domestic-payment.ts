import { usedOnce } from "#src/consents/states.ts";
import { domesticInstruments } from "#src/payments/calendar/domestic-instruments.ts";
import { checkUkAccounts } from "#src/payments/request/checks.ts";
import { single } from "#src/payments/shapes/single/single.ts";
import { memberPaths, wireOfV4 } from "#src/payments/wires/pisp-v4.0.ts";
import {
  demoParts,
  domesticSample,
  examplePayment,
} from "#src/payments/wires/pisp-v4.0-examples.ts";
import * as standard from "#src/standard/pisp-v4.0/domestic-payment.ts";
import { emitSets } from "#src/standard/pisp-v4.0/payment-statuses.ts";
import { definePaymentKind } from "./payment-kind.ts";

/** A single payment in sterling, executed immediately. */
export const domesticPayment = definePaymentKind({
  id: "domestic-payment",
  tag: "Domestic Payments",
  orderIdField: "DomesticPaymentId",
  consentIdPrefix: "dpc",
  orderIdPrefix: "dp",
  consent: usedOnce,
  shape: single,
  family: "immediate",
  timing: { when: "immediate" },
  hasCutOff: true,
  givesExpectedDates: true,
  fundsConfirmation: "consent",
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: domesticInstruments,
  checks: [checkUkAccounts],
  demo: {
    advance: null,
  },
  wires: {
    "pisp-v4.0": wireOfV4({
      schemas: standard.domesticPayment,
      paths: memberPaths.domestic,
      statuses: emitSets.domestic,
      sample: () => examplePayment(domesticSample),
      demo: (creditor, now) =>
        examplePayment(
          {
            ...demoParts.identified(now),
            ...demoParts.amount,
            CreditorAccount: creditor,
            ...demoParts.remittance,
          },
          { ReadRefundAccount: "Yes" },
        ),
    }),
  },
});
