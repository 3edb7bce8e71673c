import type { FileFormat } from "./file-format.ts";
import { paymentInitiation31, paymentInitiation40 } from "./json-format.ts";
import { pain001 } from "./pain-001.ts";

/**
 * The formats of payment files that the bank accepts. To add one, write its row and list it here.
 */
export const fileFormats: readonly FileFormat[] = [
  paymentInitiation40,
  paymentInitiation31,
  pain001,
];

/** The format of that `FileType`, or undefined. */
export const findFileFormat = (fileType: unknown): FileFormat | undefined =>
  fileFormats.find((format) => format.fileType === fileType);
