import { usedOnce } from "#src/consents/states.ts";
import { internationalChecks } from "#src/payments/international/checks.ts";
import { oneInternationalPayment } from "#src/payments/international/terms.ts";
import * as standard from "#src/standard/pisp-v4.0/international-payment.ts";
import { definePaymentKind } from "./payment-kind.ts";

/** A single payment abroad or in another currency, at once. Source: digest 1.2 to 1.6, IP. */
export const internationalPayment = definePaymentKind({
  id: "international-payment",
  tag: "International Payments",
  orderIdField: "InternationalPaymentId",
  consentIdPrefix: "ipc",
  orderIdPrefix: "ip",
  schemas: standard.internationalPayment,
  consent: usedOnce,
  timing: { when: "immediate" },
  givesExpectedDates: true,
  fundsConfirmation: true,
  amounts: ["InstructedAmount"],
  currencies: "exchanged",
  accountSchemes: ["UK.OBIE.IBAN", "UK.OBIE.BBAN", "UK.OBIE.SortCodeAccountNumber"],
  localInstruments: [
    "UK.OBIE.SEPACreditTransfer",
    "UK.OBIE.SEPAInstantCreditTransfer",
    "UK.OBIE.SWIFT",
  ],
  checks: internationalChecks,
  payments: oneInternationalPayment,
});
