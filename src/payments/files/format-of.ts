import { present } from "#src/lib/assert.ts";
import type { PaymentKind, PaymentRow } from "#src/payments/definitions/payment-kind.ts";
import type { FileFormat } from "#src/payments/formats/file-format.ts";
import type { FileRequest } from "#src/payments/request/payment-request.ts";

type KindOfFile = Pick<PaymentKind, "fileFormats">;

/** The file formats of a kind; none if its payments are not in files. */
export const fileFormatsOf = ({
  fileFormats = [],
}: KindOfFile): readonly FileFormat<PaymentRow>[] => fileFormats;

/** The format of the file that a consent announces, which a check has found among the kind's. */
export const fileFormatOf = (
  kind: KindOfFile,
  announced: FileRequest | null,
): FileFormat<PaymentRow> =>
  present(
    fileFormatsOf(kind).find(({ fileType }) => fileType === announced?.type),
    "the format of an accepted consent",
  );

/**
 * The format of the report on a stored file: that of the file, or of another file of its media type
 * if the bank no longer has the version that defines the file's type. Source: F-071.
 */
export const reportFormatOf = (
  kind: KindOfFile,
  announced: FileRequest | null,
  mediaType: string,
): FileFormat<PaymentRow> => {
  const known = fileFormatsOf(kind);
  return present(
    known.find(({ fileType }) => fileType === announced?.type) ??
      known.find(({ contentTypes }) => contentTypes.includes(mediaType)),
    `a format of files of ${mediaType}`,
  );
};

/** The media types of a kind's files, each once. */
export const contentTypesOf = (kind: KindOfFile): string[] => [
  ...new Set(fileFormatsOf(kind).flatMap(({ contentTypes }) => contentTypes)),
];
