import { present } from "#src/lib/assert.ts";
import type { PaymentKind } from "#src/payments/kinds/payment-kind.ts";
import type { FileRequest } from "#src/payments/request/payment-request.ts";
import type { FileFormat } from "./file-format.ts";

/** The file formats of a kind. */
export type FileFormats = readonly FileFormat<PaymentKind>[];

/** The format of the file that a consent announces, which a check has found among the kind's. */
export const formatOf = (
  formats: FileFormats,
  announced: FileRequest | null,
): FileFormat<PaymentKind> =>
  present(
    formats.find(({ fileType }) => fileType === announced?.type),
    "the format of an accepted consent",
  );

/** The media types of files in these formats, each once. */
export const contentTypesOf = (formats: FileFormats): string[] => [
  ...new Set(formats.flatMap(({ contentTypes }) => contentTypes)),
];
