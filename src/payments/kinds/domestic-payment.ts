import { usedOnce } from "#src/consents/states.ts";
import { domesticInstruments } from "#src/payments/calendar/domestic-instruments.ts";
import { checkUkAccounts } from "#src/payments/request/checks.ts";
import { single } from "#src/payments/shapes/single/single.ts";
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
  confirmsFunds: true,
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: domesticInstruments,
  checks: [checkUkAccounts],
});
