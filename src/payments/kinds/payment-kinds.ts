import type { PaymentKindId } from "#src/standard/kind-id.ts";
import { domesticPayment } from "./domestic-payment.ts";
import { domesticScheduledPayment } from "./domestic-scheduled-payment.ts";
import { domesticStandingOrder } from "./domestic-standing-order.ts";
import { domesticVrp } from "./domestic-vrp.ts";
import { filePayment } from "./file-payment.ts";
import { internationalPayment } from "./international-payment.ts";
import { internationalScheduledPayment } from "./international-scheduled-payment.ts";
import { internationalStandingOrder } from "./international-standing-order.ts";
import type { PaymentKind } from "./payment-kind.ts";

const rows: { readonly [Id in PaymentKindId]: PaymentKind & { id: Id } } = {
  "domestic-payment": domesticPayment,
  "domestic-scheduled-payment": domesticScheduledPayment,
  "domestic-standing-order": domesticStandingOrder,
  "international-payment": internationalPayment,
  "international-scheduled-payment": internationalScheduledPayment,
  "international-standing-order": internationalStandingOrder,
  "file-payment": filePayment,
  "domestic-vrp": domesticVrp,
};

/** The published payment kinds. A bank offers these unless it is opened with others. */
export const paymentKinds: readonly PaymentKind[] = Object.values(rows);
