import { usedOnce } from "#src/consents/states.ts";
import { domesticInstruments } from "#src/payments/calendar/timing.ts";
import { definePaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { checkUkAccounts } from "#src/payments/request/checks.ts";
import { single } from "#src/payments/shapes/single/single.ts";

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
  confirmsFunds: false,
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: domesticInstruments,
  checks: [checkUkAccounts],
});
