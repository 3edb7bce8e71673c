import {
  type PaymentVersion,
  paymentInitiationFiles,
} from "#src/payments/versions/payment-version.ts";
import { formatsV31 } from "./formats.ts";
import { domesticVrpV31 } from "./vrp.ts";

/** Payments in v3.1. */
export const paymentsV31: PaymentVersion = {
  id: "pisp-v3.1",
  formats: { ...formatsV31, "domestic-vrp": domesticVrpV31 },
  fileFormats: [paymentInitiationFiles("UK.OBIE.PaymentInitiation.3.1", formatsV31)],
};
