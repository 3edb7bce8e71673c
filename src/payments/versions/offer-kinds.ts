import type { PaymentKind, PaymentRow } from "#src/payments/definitions/payment-kind.ts";
import { pain001 } from "#src/payments/pain-001/pain-001.ts";
import type { PaymentVersion } from "./payment-version.ts";

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
