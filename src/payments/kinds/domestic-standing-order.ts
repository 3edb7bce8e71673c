import { usedOnce } from "#src/consents/states.ts";
import { checkUkAccounts } from "#src/payments/request/checks.ts";
import { scheduleChecks, scheduleOrderChecks } from "#src/payments/schedule/check-schedule.ts";
import { recurring } from "#src/payments/shapes/recurring/recurring.ts";
import { memberPaths, wireOfV4 } from "#src/payments/wires/pisp-v4.0.ts";
import {
  demoParts,
  domesticSample,
  examplePayment,
  permission,
  scheduleSample,
} from "#src/payments/wires/pisp-v4.0-examples.ts";
import * as standard from "#src/standard/pisp-v4.0/domestic-standing-order.ts";
import { emitSets } from "#src/standard/pisp-v4.0/payment-statuses.ts";
import { definePaymentKind } from "./payment-kind.ts";

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
  fundsConfirmation: null,
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: [],
  checks: [checkUkAccounts, ...scheduleChecks],
  orderChecks: scheduleOrderChecks,
  demo: {
    // the date is three days ahead, and a weekend with bank holidays may add five
    advance: "P8D",
  },
  wires: {
    "pisp-v4.0": wireOfV4({
      schemas: standard.domesticStandingOrder,
      paths: memberPaths.domesticStandingOrder,
      statuses: emitSets.standingOrder,
      sample: () => {
        const { CreditorAccount, InstructedAmount, RemittanceInformation } = domesticSample;
        const initiation = {
          ...scheduleSample,
          FirstPaymentAmount: InstructedAmount,
          CreditorAccount,
          RemittanceInformation,
        };
        return examplePayment(initiation, permission);
      },
      demo: (creditor, now) =>
        examplePayment(
          {
            ...demoParts.monthly(now),
            FirstPaymentAmount: demoParts.amount.InstructedAmount,
            CreditorAccount: creditor,
            ...demoParts.remittance,
          },
          permission,
        ),
    }),
  },
});
