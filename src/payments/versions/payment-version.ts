import type { PaymentRow } from "#src/payments/definitions/payment-kind.ts";
import { jsonFormat } from "#src/payments/files/json-format.ts";
import type { FileFormat } from "#src/payments/formats/file-format.ts";
import { type Format, initiationFormat } from "#src/payments/formats/format.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import { domesticScheduledPayment } from "#src/payments/kinds/domestic-scheduled-payment.ts";
import { internationalPayment } from "#src/payments/kinds/international-payment.ts";
import { internationalScheduledPayment } from "#src/payments/kinds/international-scheduled-payment.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";

// What a version of Payment Initiation is. Each version has a folder here, which imports no other
// version's: what versions have in common is in payments/formats/. payment-kinds.ts lists the
// versions, and gives each kind its formats.

/** A version of Payment Initiation: how each kind that it has looks in it. */
export type PaymentVersion = {
  id: ApiVersionId;
  formats: Readonly<Partial<Record<PaymentKindId, Format>>>;
  /** The file types that this version defines. Its consents may announce those of any version. */
  fileFormats: readonly FileFormat<PaymentRow>[];
};

/** The kinds of payments in JSON files, by the names of their lists in the file. */
const inFiles = {
  DomesticPayments: domesticPayment,
  DomesticScheduledPayments: domesticScheduledPayment,
  InternationalPayments: internationalPayment,
  InternationalScheduledPayments: internationalScheduledPayment,
} as const;

/** The JSON files of a version. Source: PISP resource pages, File Payment Consents. */
export const paymentInitiationFiles = (
  fileType: string,
  formats: Readonly<Record<(typeof inFiles)[keyof typeof inFiles]["id"], Format>>,
): FileFormat<PaymentRow> =>
  jsonFormat({
    fileType,
    payloads: Object.fromEntries(
      Object.entries(inFiles).map(([name, kind]) => [
        name,
        { kind, format: initiationFormat(formats[kind.id]) },
      ]),
    ),
  });
