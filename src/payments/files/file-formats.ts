import type { PaymentKind } from "#src/payments/kinds/payment-kind.ts";
import type { FileFormat } from "./file-format.ts";
import { paymentInitiation31, paymentInitiation40 } from "./json-format.ts";
import { pain001 } from "./pain-001.ts";

/**
 * The formats of payment files that the bank accepts. To add one, write its row and list it here.
 */
export const fileFormats: readonly FileFormat<PaymentKind>[] = [
  paymentInitiation40,
  paymentInitiation31,
  pain001,
];
