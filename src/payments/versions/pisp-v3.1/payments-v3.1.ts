import { jsonFormat } from "#src/payments/files/json-format.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import { domesticScheduledPayment } from "#src/payments/kinds/domestic-scheduled-payment.ts";
import type { PaymentVersion } from "#src/payments/versions/payment-version.ts";
import { domesticScheduledV31, domesticV31 } from "./formats.ts";
import { domesticVrpV31 } from "./vrp.ts";

/** Payments in files in the format of v3.1, which TPPs that used it may still send. */
const paymentInitiation = jsonFormat({
  fileType: "UK.OBIE.PaymentInitiation.3.1",
  payloads: {
    DomesticPayments: { kind: domesticPayment, format: domesticV31 },
    DomesticScheduledPayments: { kind: domesticScheduledPayment, format: domesticScheduledV31 },
  },
});

/** Payments in v3.1. */
export const paymentsV31: PaymentVersion = {
  id: "pisp-v3.1",
  formats: { "domestic-vrp": domesticVrpV31 },
  fileFormats: [paymentInitiation],
};
