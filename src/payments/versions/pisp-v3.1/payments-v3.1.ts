import { jsonFormat } from "#src/payments/files/json-format.ts";
import { initiationFormat } from "#src/payments/formats/format.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import { domesticScheduledPayment } from "#src/payments/kinds/domestic-scheduled-payment.ts";
import { internationalPayment } from "#src/payments/kinds/international-payment.ts";
import { internationalScheduledPayment } from "#src/payments/kinds/international-scheduled-payment.ts";
import type { PaymentVersion } from "#src/payments/versions/payment-version.ts";
import { formatsV31 } from "./formats.ts";
import { domesticVrpV31 } from "./vrp.ts";

const inFile = (kind: keyof typeof formatsV31) => initiationFormat(formatsV31[kind]);

/** Payments in files in the format of v3.1. Source: PISP resource pages, File Payment Consents. */
const paymentInitiation = jsonFormat({
  fileType: "UK.OBIE.PaymentInitiation.3.1",
  payloads: {
    DomesticPayments: { kind: domesticPayment, format: inFile("domestic-payment") },
    DomesticScheduledPayments: {
      kind: domesticScheduledPayment,
      format: inFile("domestic-scheduled-payment"),
    },
    InternationalPayments: { kind: internationalPayment, format: inFile("international-payment") },
    InternationalScheduledPayments: {
      kind: internationalScheduledPayment,
      format: inFile("international-scheduled-payment"),
    },
  },
});

/** Payments in v3.1. */
export const paymentsV31: PaymentVersion = {
  id: "pisp-v3.1",
  formats: { ...formatsV31, "domestic-vrp": domesticVrpV31 },
  fileFormats: [paymentInitiation],
};
