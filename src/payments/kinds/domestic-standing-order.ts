import { usedOnce } from "#src/consents/states.ts";
import { checkUkAccounts } from "#src/payments/request/checks.ts";
import { scheduleChecks, scheduleOrderChecks } from "#src/payments/schedule/check-schedule.ts";
import { domesticSchedule, firstPayment } from "#src/payments/schedule/standing-order.ts";
import * as standard from "#src/standard/pisp-v4.0/domestic-standing-order.ts";
import { definePaymentKind } from "./payment-kind.ts";

/** Payments in sterling that come again. Source: digest 1.2 to 1.6 and 2.18, SO. */
export const domesticStandingOrder = definePaymentKind({
  id: "domestic-standing-order",
  tag: "Domestic Standing Orders",
  orderIdField: "DomesticStandingOrderId",
  consentIdPrefix: "dsoc",
  orderIdPrefix: "dso",
  schemas: standard.domesticStandingOrder,
  consent: usedOnce,
  timing: {
    when: "onDate",
    field: "MandateRelatedInformation.FirstPaymentDateTime",
    horizonDays: 366,
  },
  givesExpectedDates: false,
  fundsConfirmation: false,
  amounts: ["FirstPaymentAmount", "RecurringPaymentAmount", "FinalPaymentAmount"],
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: [],
  checks: [checkUkAccounts, ...scheduleChecks],
  orderChecks: scheduleOrderChecks,
  schedule: domesticSchedule,
  payments: firstPayment,
});
