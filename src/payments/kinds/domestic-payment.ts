import { usedOnce } from "#src/consents/states.ts";
import { domesticInstruments } from "#src/payments/calendar/timing.ts";
import { definePaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { checkUkAccounts } from "#src/payments/request/checks.ts";
import { single } from "#src/payments/shapes/single/single.ts";

// A row for each kind: data that is the same in every API version. definitions/payment-kind.ts says
// what its members mean, shapes/ how its orders behave, and versions/ how its bodies look in each
// version. payment-kinds.ts lists the rows.

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
