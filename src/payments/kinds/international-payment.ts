import { usedOnce } from "#src/consents/states.ts";
import { definePaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { internationalChecks } from "#src/payments/international/checks.ts";
import { single } from "#src/payments/shapes/single/single.ts";

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
  confirmsFunds: true,
  currencies: "exchanged",
  accountSchemes: ["UK.OBIE.IBAN", "UK.OBIE.BBAN", "UK.OBIE.SortCodeAccountNumber"],
  localInstruments: [
    "UK.OBIE.SEPACreditTransfer",
    "UK.OBIE.SEPAInstantCreditTransfer",
    "UK.OBIE.SWIFT",
  ],
  checks: internationalChecks,
});
