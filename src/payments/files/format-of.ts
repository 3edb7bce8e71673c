import { present } from "#src/lib/assert.ts";
import type { FileKind, PaymentKind } from "#src/payments/kinds/payment-kind.ts";
import type { FileRequest } from "#src/payments/request/payment-request.ts";
import type { FileFormat } from "./file-format.ts";

/** The format of the file that a consent announces, which a check has found among the kind's. */
export const formatOf = (
  { formats }: Pick<FileKind, "formats">,
  announced: FileRequest | null,
): FileFormat<PaymentKind> =>
  present(
    formats.find(({ fileType }) => fileType === announced?.type),
    "the format of an accepted consent",
  );

/** The media types of a kind's files, each once. */
export const contentTypesOf = ({ formats }: Pick<FileKind, "formats">): string[] => [
  ...new Set(formats.flatMap(({ contentTypes }) => contentTypes)),
];
