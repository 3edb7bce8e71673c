import { domesticPayment } from "./kinds/domestic-payment.ts";
import { domesticScheduledPayment } from "./kinds/domestic-scheduled-payment.ts";
import { domesticStandingOrder } from "./kinds/domestic-standing-order.ts";
import { filePayment } from "./kinds/file-payment.ts";
import { internationalPayment } from "./kinds/international-payment.ts";
import { internationalScheduledPayment } from "./kinds/international-scheduled-payment.ts";
import { internationalStandingOrder } from "./kinds/international-standing-order.ts";
import type { PaymentKind } from "./payment-kind.ts";

/** The kinds that the bank offers: to add one, write its row and name it here. */
export const paymentKinds: readonly PaymentKind[] = [
  domesticPayment,
  domesticScheduledPayment,
  domesticStandingOrder,
  internationalPayment,
  internationalScheduledPayment,
  internationalStandingOrder,
  filePayment,
];
