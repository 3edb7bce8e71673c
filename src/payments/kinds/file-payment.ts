import { usedOnceForFile } from "#src/consents/states.ts";
import { definePaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { fileChecks } from "#src/payments/files/file-checks.ts";
import { ofFile } from "#src/payments/shapes/of-file/of-file.ts";
import { domesticPayment } from "./domestic-payment.ts";
import { internationalPayment } from "./international-payment.ts";

/** The payments of a file that is uploaded for the consent. */
export const filePayment = definePaymentKind({
  id: "file-payment",
  tag: "File Payments",
  orderIdField: "FilePaymentId",
  consentIdPrefix: "fpc",
  orderIdPrefix: "fp",
  consent: usedOnceForFile,
  shape: ofFile,
  family: "file",
  timing: {
    when: "onDate",
    horizonDays: 366,
    optional: true,
  },
  hasCutOff: true,
  givesExpectedDates: false,
  confirmsFunds: false,
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: [...domesticPayment.localInstruments, ...internationalPayment.localInstruments],
  // amounts are checked when the file is uploaded, because they are not known before
  checks: fileChecks,
});
