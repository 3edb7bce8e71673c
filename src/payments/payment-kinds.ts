import type { PaymentKind, PaymentRow } from "#src/payments/definitions/payment-kind.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import { domesticPayment } from "./kinds/domestic-payment.ts";
import { domesticScheduledPayment } from "./kinds/domestic-scheduled-payment.ts";
import { domesticStandingOrder } from "./kinds/domestic-standing-order.ts";
import { domesticVrp } from "./kinds/domestic-vrp.ts";
import { filePayment } from "./kinds/file-payment.ts";
import { internationalPayment } from "./kinds/international-payment.ts";
import { internationalScheduledPayment } from "./kinds/international-scheduled-payment.ts";
import { internationalStandingOrder } from "./kinds/international-standing-order.ts";
import { offerKinds } from "./versions/offer-kinds.ts";
import type { PaymentVersion } from "./versions/payment-version.ts";
import { paymentsV31 } from "./versions/pisp-v3.1/payments-v3.1.ts";
import { paymentsV40 } from "./versions/pisp-v4.0/payments-v4.0.ts";

const rows: { readonly [Id in PaymentKindId]: PaymentRow & { id: Id } } = {
  "domestic-payment": domesticPayment,
  "domestic-scheduled-payment": domesticScheduledPayment,
  "domestic-standing-order": domesticStandingOrder,
  "international-payment": internationalPayment,
  "international-scheduled-payment": internationalScheduledPayment,
  "international-standing-order": internationalStandingOrder,
  "file-payment": filePayment,
  "domestic-vrp": domesticVrp,
};

/**
 * The versions of Payment Initiation, oldest first. Nothing else names them: to drop a version,
 * delete its line and its folder in payments/versions/.
 */
const versions: readonly PaymentVersion[] = [paymentsV31, paymentsV40];

/** The published kinds in these versions. A bank offers them unless it is opened with others. */
export const paymentKinds: readonly PaymentKind[] = offerKinds(Object.values(rows), versions);
