import { present } from "#src/lib/assert.ts";
import { domesticPayment } from "./domestic-payment.ts";
import { domesticScheduledPayment } from "./domestic-scheduled-payment.ts";
import { domesticStandingOrder } from "./domestic-standing-order.ts";
import { filePayment } from "./file-payment.ts";
import { internationalPayment } from "./international-payment.ts";
import { internationalScheduledPayment } from "./international-scheduled-payment.ts";
import { internationalStandingOrder } from "./international-standing-order.ts";
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

/** The row of a kind that is stored with a consent or an order; among all kinds unless given. */
export const kindNamed = (id: string, kinds: readonly PaymentKind[] = paymentKinds): PaymentKind =>
  present(
    kinds.find((kind) => kind.id === id),
    `the payment kind ${id}`,
  );
