import { usedOnce } from "#src/consents/states.ts";
import { internationalChecks } from "#src/payments/international/checks.ts";
import { single } from "#src/payments/shapes/single/single.ts";
import { memberPaths, wireOfV4 } from "#src/payments/wires/pisp-v4.0.ts";
import {
  demoParts,
  examplePayment,
  internationalSample,
} from "#src/payments/wires/pisp-v4.0-examples.ts";
import * as standard from "#src/standard/pisp-v4.0/international-payment.ts";
import { emitSets } from "#src/standard/pisp-v4.0/payment-statuses.ts";
import { definePaymentKind } from "./payment-kind.ts";

/** A single payment to another country or in another currency, executed immediately. */
export const internationalPayment = definePaymentKind({
  id: "international-payment",
  tag: "International Payments",
  orderIdField: "InternationalPaymentId",
  consentIdPrefix: "ipc",
  orderIdPrefix: "ip",
  consent: usedOnce,
  shape: single,
  family: "immediate",
  timing: { when: "immediate" },
  hasCutOff: true,
  givesExpectedDates: true,
  fundsConfirmation: "consent",
  currencies: "exchanged",
  accountSchemes: ["UK.OBIE.IBAN", "UK.OBIE.BBAN", "UK.OBIE.SortCodeAccountNumber"],
  localInstruments: [
    "UK.OBIE.SEPACreditTransfer",
    "UK.OBIE.SEPAInstantCreditTransfer",
    "UK.OBIE.SWIFT",
  ],
  checks: internationalChecks,
  demo: {
    creditor: demoParts.inGermany,
    advance: "P2D",
  },
  wires: {
    "pisp-v4.0": wireOfV4({
      schemas: standard.internationalPayment,
      paths: memberPaths.international,
      statuses: emitSets.international,
      sample: () => examplePayment(internationalSample),
      demo: (creditor, now) =>
        examplePayment({
          ...demoParts.identified(now),
          ...demoParts.euros,
          // Indicative, because a bank may quote guaranteed rates only at certain times
          ExchangeRateInformation: { UnitCurrency: "GBP", RateType: "Indicative" },
          CreditorAccount: creditor,
          ...demoParts.remittance,
        }),
    }),
  },
});
