import type { PaymentKind, PaymentRow } from "#src/payments/definitions/payment-kind.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import { domesticScheduledPayment } from "#src/payments/kinds/domestic-scheduled-payment.ts";
import { domesticStandingOrder } from "#src/payments/kinds/domestic-standing-order.ts";
import { domesticVrp } from "#src/payments/kinds/domestic-vrp.ts";
import { filePayment } from "#src/payments/kinds/file-payment.ts";
import { internationalPayment } from "#src/payments/kinds/international-payment.ts";
import { internationalScheduledPayment } from "#src/payments/kinds/international-scheduled-payment.ts";
import { internationalStandingOrder } from "#src/payments/kinds/international-standing-order.ts";
import { pain001 } from "#src/payments/pain-001/pain-001.ts";
import type { PaymentVersion } from "#src/payments/versions/payment-version.ts";
import { paymentsV31 } from "#src/payments/versions/pisp-v3.1/payments-v3.1.ts";
import { paymentsV40 } from "#src/payments/versions/pisp-v4.0/payments-v4.0.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";

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

/** Offers kinds in these versions, oldest first. A kind that none of them has is left out. */
export function offerKinds(
  rows: readonly PaymentRow[],
  versions: readonly PaymentVersion[],
): PaymentKind[] {
  const fileFormats = [...versions.toReversed().flatMap((version) => version.fileFormats), pain001];
  return rows.flatMap((row) => {
    const served = versions.flatMap(({ id, formats }) => {
      const format = formats[row.id];
      return format ? [[id, format] as const] : [];
    });
    if (served.length === 0) return [];
    const formats = Object.fromEntries(served);
    return [{ ...row, formats, fileFormats }];
  });
}
