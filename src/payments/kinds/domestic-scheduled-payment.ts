import { usedOnce } from "#src/consents/states.ts";
import { domesticInstruments } from "#src/payments/calendar/domestic-instruments.ts";
import { checkUkAccounts } from "#src/payments/request/checks.ts";
import * as standard from "#src/standard/pisp-v4.0/domestic-scheduled-payment.ts";
import { definePaymentKind, onePayment } from "./payment-kind.ts";

/** A single payment in sterling on a day to come. Source: digest 1.2 to 1.6 and 2.17, DS. */
export const domesticScheduledPayment = definePaymentKind({
  id: "domestic-scheduled-payment",
  tag: "Domestic Scheduled Payments",
  orderIdField: "DomesticScheduledPaymentId",
  consentIdPrefix: "dsc",
  orderIdPrefix: "ds",
  schemas: standard.domesticScheduledPayment,
  consent: usedOnce,
  timing: { when: "onDate", field: "RequestedExecutionDateTime", horizonDays: 366 },
  givesExpectedDates: true,
  fundsConfirmation: false,
  amounts: ["InstructedAmount"],
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: domesticInstruments,
  checks: [checkUkAccounts],
  payments: onePayment,
});
