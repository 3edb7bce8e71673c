import { usedOnce } from "#src/consents/states.ts";
import { domesticInstruments } from "#src/payments/calendar/domestic-instruments.ts";
import { checkUkAccounts } from "#src/payments/request/checks.ts";
import * as standard from "#src/standard/pisp-v4.0/domestic-payment.ts";
import { definePaymentKind, onePayment } from "./payment-kind.ts";

/** A single payment in sterling, executed at once. Source: digest 1.2 to 1.6, DP. */
export const domesticPayment = definePaymentKind({
  id: "domestic-payment",
  tag: "Domestic Payments",
  orderIdField: "DomesticPaymentId",
  consentIdPrefix: "dpc",
  orderIdPrefix: "dp",
  schemas: standard.domesticPayment,
  consent: usedOnce,
  timing: { when: "immediate" },
  givesExpectedDates: true,
  fundsConfirmation: true,
  amounts: ["InstructedAmount"],
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: domesticInstruments,
  checks: [checkUkAccounts],
  payments: onePayment,
});
