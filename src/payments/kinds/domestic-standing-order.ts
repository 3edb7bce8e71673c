import { usedOnce } from "#src/consents/states.ts";
import { definePaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { checkUkAccounts } from "#src/payments/request/checks.ts";
import { scheduleChecks, scheduleOrderChecks } from "#src/payments/schedule/check-schedule.ts";
import { recurring } from "#src/payments/shapes/recurring/recurring.ts";

/** Recurring payments in sterling. */
export const domesticStandingOrder = definePaymentKind({
  id: "domestic-standing-order",
  tag: "Domestic Standing Orders",
  orderIdField: "DomesticStandingOrderId",
  consentIdPrefix: "dsoc",
  orderIdPrefix: "dso",
  consent: usedOnce,
  shape: recurring,
  family: "standingOrder",
  timing: {
    when: "onDate",
    horizonDays: 366,
  },
  hasCutOff: false,
  givesExpectedDates: false,
  confirmsFunds: false,
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: [],
  checks: [checkUkAccounts, ...scheduleChecks],
  orderChecks: scheduleOrderChecks,
});
