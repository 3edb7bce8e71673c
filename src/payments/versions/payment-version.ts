import type { PaymentRow } from "#src/payments/definitions/payment-kind.ts";
import type { FileFormat } from "#src/payments/formats/file-format.ts";
import type { Format } from "#src/payments/formats/format.ts";
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
